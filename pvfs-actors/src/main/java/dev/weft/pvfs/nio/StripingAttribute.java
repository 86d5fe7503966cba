package dev.weft.pvfs.nio;

import java.nio.file.attribute.FileAttribute;

/** A part of a wish for striping, for a file that is made. */
record StripingAttribute(String name, Integer value) implements FileAttribute<Integer> {}
