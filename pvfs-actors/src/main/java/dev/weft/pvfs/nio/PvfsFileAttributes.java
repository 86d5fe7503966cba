package dev.weft.pvfs.nio;

import dev.weft.pvfs.layout.Striping;
import java.nio.file.attribute.PosixFileAttributes;

/** Attributes of a file with how it is striped. */
public interface PvfsFileAttributes extends PosixFileAttributes {
  /** Of a regular file how it lies on the daemons, of a directory what new files in it get; null where there is none. */
  Striping striping();

  /** The file's number. */
  long inode();

  /** Names it has. */
  int links();
}
