/* FARFIELD_API marks what a shared library exports; all other symbols are hidden (C and C++). */
#ifndef FARFIELD_EXPORT_H
#define FARFIELD_EXPORT_H

#if defined(__GNUC__)
#define FARFIELD_API __attribute__((visibility("default")))
#else
#define FARFIELD_API
#endif

#endif
