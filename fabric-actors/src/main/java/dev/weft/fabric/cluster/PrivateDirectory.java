package dev.weft.fabric.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The directory above a media driver's. What passes a trunk lies in files below it, so others must not reach it, and its predictable
 * names must not be somebody else's.
 */
final class PrivateDirectory {
  private PrivateDirectory() {}

  /**
   * Creates it for this user alone if it is not there.
   *
   * @throws IOException if it is a link or no directory, or others may write to it and it is not a shared one with the sticky bit
   */
  static void create(Path directory) throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    PosixFileAttributes found = Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isDirectory()) {
      throw new IOException(directory + " must be a directory, and not a link to one; it holds the media driver's memory");
    }
    boolean shared = found.permissions().contains(PosixFilePermission.OTHERS_WRITE);
    boolean sticky = ((int) Files.getAttribute(directory, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 01000) != 0;
    if (shared && !sticky) {
      throw new IOException(directory + " can be written by everybody; remove that permission, or choose another "
          + "weft.fabric.cluster.media-driver.directory");
    }
  }
}
