package ingest

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetLeaf is a column of single values, and what its numbers stand for.
type parquetLeaf struct {
	name    string
	logical format.LogicalTypeValue // nil: they are what they are
}

func leafOf(column *parquet.Column) parquetLeaf {
	leaf := parquetLeaf{name: column.Name()}
	if logical := column.Type().LogicalType(); logical != nil {
		leaf.logical = logical.Value
	}
	return leaf
}

// text writes a value. Null is an empty text, and so is what other programs put in its place: a number that is none.
func (l parquetLeaf) text(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	switch logical := l.logical.(type) {
	case *format.DateType:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Int32())).Format(time.DateOnly)
	case *format.TimestampType:
		return instant(v.Int64(), logical.Unit).Format(time.RFC3339Nano)
	case *format.DecimalType:
		return decimal(v, int(logical.Scale))
	case *format.IntType:
		if !logical.IsSigned && v.Kind() == parquet.Int32 {
			return strconv.FormatUint(uint64(v.Uint32()), 10)
		}
		if !logical.IsSigned && v.Kind() == parquet.Int64 {
			return strconv.FormatUint(v.Uint64(), 10)
		}
	}
	return plainValue(v)
}

func plainValue(v parquet.Value) string {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean())
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.Float:
		return shortest(float64(v.Float()), 32)
	case parquet.Double:
		return shortest(v.Double(), 64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	default:
		return v.String()
	}
}

// shortest writes a number with as few digits as name it exactly, and never with an exponent.
func shortest(v float64, bits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

func instant(v int64, unit format.TimeUnit) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(v).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(v).UTC()
	default:
		return time.Unix(0, v).UTC()
	}
}

// decimal writes a whole number with a point before its last digits.
func decimal(v parquet.Value, scale int) string {
	whole := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		whole.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		whole.SetInt64(v.Int64())
	default:
		bytes := v.ByteArray()
		whole.SetBytes(bytes)
		if len(bytes) > 0 && bytes[0]&0x80 != 0 { // two's complement
			whole.Sub(whole, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
		}
	}
	sign := ""
	if whole.Sign() < 0 {
		sign = "-"
	}
	digits := padLeft(whole.Abs(whole).String(), scale+1)
	if scale <= 0 {
		return sign + digits + strings.Repeat("0", -scale)
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
