# the tests; included by the Makefile
