module flows

go 1.21
