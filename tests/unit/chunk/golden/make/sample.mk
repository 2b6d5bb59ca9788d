# How the program is built.
CC ?= gcc
CFLAGS := -Wall \
          -O2
SOURCES = $(wildcard src/*.c)
override DEBUG += 1
export PATH := bin:$(PATH)

include config.mk

define greeting
echo "Grüße 🎉"
endef

.PHONY: all clean

# Builds everything.
# It is the default.
all: program docs

program: $(SOURCES:.c=.o)
	$(CC) -o $@ $^

%.o: %.c config.h
	$(CC) $(CFLAGS) -c $< -o $@

# Removes what was built, "Müll".
clean:
	rm -f program *.o
	@echo done

docs/index.html docs/style.css: manual.md | docs
	markdown $< > $@

docs:
	mkdir -p docs

ifeq ($(OS),Windows_NT)
install: program
	copy program C:/
else
install: program
	cp program /usr/bin
endif

$(BUILD)/tool:
	touch $@

test:: program
	./program --test
