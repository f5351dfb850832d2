library(httr2)

base <- "https://api.example.org/api/v1"

get <- function(path, ...) {
  request(paste0(base, path)) |>
    req_headers("X-API-Key" = Sys.getenv("ARPENT_KEY")) |>
    req_url_query(...) |>
    req_timeout(30) |>
    req_retry(max_tries = 5, is_transient = function(answer) {
      wait <- as.numeric(resp_header(answer, "Retry-After"))
      resp_status(answer) == 429 && wait <= 60 # over a minute: the quota of the day
    }) |>
    req_error(body = function(answer) resp_body_json(answer)$error$message) |>
    req_perform() |>
    resp_body_json()
}

# What is null is NA, never 0.
known <- function(value) if (is.null(value)) NA else value

commune <- function(code) {
  path <- paste0("/communes/", code)
  answer <- get(path, include = "stats", fields = "population,revenus")
  population <- answer$stats$population
  income <- answer$stats$revenus
  data.frame(
    code = answer$codeInsee, # text: some begin with 0
    name = answer$name,
    inhabitants = known(population$latest$municipal),
    year = known(population$year),
    density = known(population$density),
    medianIncome = known(income$medianIncome),
    incomeYear = known(income$year)
  )
}

codes <- c("93010", "33063", "01004", "97411")
communes <- do.call(rbind, lapply(codes, commune))
print(communes, row.names = FALSE)
