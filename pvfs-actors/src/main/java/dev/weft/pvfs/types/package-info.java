/**
 * Data types that describe which bytes of memory or of a file are meant, in a few numbers for any number of pieces. Arithmetic without state. Begin
 * with {@link dev.weft.pvfs.types.Datatype}.
 */
package dev.weft.pvfs.types;
