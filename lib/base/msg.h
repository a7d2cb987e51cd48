/*
 * Every word that a program says to people: on stderr, one line each, 'prog: file:line: message'.
 * This is the only module that writes to stderr (a lint test says so). stdout carries records.
 *
 * Text that comes from input is cleaned: control characters and invalid UTF-8 become '?'.
 * Thread-safe: a line is written by one write(2).
 */
#ifndef KG_BASE_MSG_H
#define KG_BASE_MSG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Sets the program's name (the last part of argv[0]). */
void kg_msg_init(const char *argv0);
const char *kg_msg_prog(void);

/* -1: errors only (-q); 0: errors, warnings, notes; 1 and more: also details (-v). */
void kg_msg_set_level(int level);
int kg_msg_level(void);

void kg_msg_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void kg_msg_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void kg_msg_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void kg_msg_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* 'prog: source:line: message'; line 0 leaves the line out. Counts as an error. */
void kg_msg_at(const char *source, size_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints an error with its place. */
void kg_msg_from(const struct kg_error *err);

/* 'prog: message' once a key: a second call with the same key says nothing. */
void kg_msg_warn_once(const char *key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kg_msg_note_once(const char *key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The progress line (stderr is a terminal): replaces the last one; NULL removes it. Messages that
 * are printed while it stands push it down. */
void kg_msg_progress(const char *text);

#endif
