package dev.weft.pvfs.nio;

import java.nio.file.attribute.FileAttribute;

/** One part of a striping wish for a new file. */
record StripingAttribute(String name, Integer value) implements FileAttribute<Integer> {}
