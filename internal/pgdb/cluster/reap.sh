# Stops the server once no process holds the lease. Arguments: lease lock, start lock, postmaster.pid.
# The pause lets the next test process take the running server over.
lease=$1 start=$2 pidfile=$3
stop='read -r pid < "$0" || exit 0; kill -INT "$pid" || exit 0; while [ -e "$0" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; done'
while [ -e "$pidfile" ]; do
    flock "$lease" true
    sleep 3
    flock "$start" flock --nonblock "$lease" sh -c "$stop" "$pidfile"
done
