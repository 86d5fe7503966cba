/** Data types: which bytes of memory or of a file are meant, said in a few words however many pieces they are; arithmetic without state. */
package dev.weft.pvfs.types;
