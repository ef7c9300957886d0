module latchkey/verify

go 1.25
