module fourth

go 1.19
