module example.com/chi-storage

go 1.25

require (
	github.com/go-chi/chi/v5 v5.5.0
	latchkey v0.1.0
)

replace latchkey => ../../clients/go
