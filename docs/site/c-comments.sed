# The first block is about the file, not about what follows it.
1!s,^( *)/\* ,\1/** ,
s,([;\,]) +/\*\*? ,\1 /**< ,
\,^ *(//|/\*| \*)|// |/\*,s,`([^`]+)`,<tt>\1</tt>,g
