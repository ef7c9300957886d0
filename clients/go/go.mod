module latchkey

go 1.25
