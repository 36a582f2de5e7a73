module intruder

go 1.26
