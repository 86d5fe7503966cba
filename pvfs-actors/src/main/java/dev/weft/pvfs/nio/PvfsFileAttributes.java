package dev.weft.pvfs.nio;

import dev.weft.pvfs.layout.Striping;
import java.nio.file.attribute.PosixFileAttributes;

/** The attributes of a file, with its striping. */
public interface PvfsFileAttributes extends PosixFileAttributes {
  /** The striping: of a regular file its own, of a directory that of new files in it; null if there is none. */
  Striping striping();

  /** The file's inode number. */
  long inode();

  /** The number of its names. */
  int links();
}
