package dev.weft.fabric.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * Makes directories that only this user can list, read and write, whatever the umask is. The checks do not follow links. If another user made
 * the directory first, the call fails before anything is put into it.
 */
public final class PrivateDirectory {
  private static final int OTHERS = 077;
  private static final int OTHERS_WRITE = 022;
  private static final int STICKY = 01000;
  private static final String MODE = "unix:mode,uid";

  private PrivateDirectory() {}

  /**
   * Makes a directory, and its parents, for this user alone, if it does not exist.
   *
   * @param remedy what the user can do if the directory cannot be used, such as another setting; a part of the error message
   * @throws IOException if it is not a directory, belongs to another user or is open to others, or if others can replace it
   */
  public static void create(Path directory, String remedy) throws IOException {
    check(directory, remedy, OTHERS, "is open to other users");
  }

  /** Does the same, but accepts an existing directory of this user that others may read. The caller must protect each file that it puts there. */
  public static void createOrUse(Path directory, String remedy) throws IOException {
    check(directory, remedy, OTHERS_WRITE, "can be written by others");
  }

  private static void check(Path given, String remedy, int forbidden, String complaint) throws IOException {
    Path directory = given.toAbsolutePath().normalize();
    if (directory.getParent() == null) {
      throw new IOException(directory + " is no directory of one user; " + remedy);
    }
    if (!Files.exists(directory.getParent())) {
      create(directory.getParent(), remedy);
    }
    checkAbove(directory.getParent().toRealPath(), remedy);
    make(directory);
    Map<String, Object> found = Files.readAttributes(directory, MODE, LinkOption.NOFOLLOW_LINKS);
    int mode = (int) found.get("mode");
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(directory + " is not a directory, or a link to one; remove it, or " + remedy);
    }
    if ((int) found.get("uid") != OwnUser.id()) {
      throw new IOException(directory + " belongs to " + Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName() + ", not to "
          + System.getProperty("user.name") + ", who could read what is in it; " + remedy);
    }
    if ((mode & forbidden) != 0) {
      throw new IOException(directory + " " + complaint + " (mode " + Integer.toOctalString(mode & 07777) + "); "
          + ((mode & STICKY) != 0 ? "it is meant for all, so make one of your own in it and name that, or one in that; or " : "'chmod 700 " + directory
          + "' if they have put nothing there, or ") + remedy);
    }
  }

  /** Makes the directory with its final rights, so that it is never open to others, not even for a moment. */
  private static void make(Path directory) throws IOException {
    try {
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException there) {
      return;
    } catch (FileSystemException e) {
      throw new IOException(directory + " cannot be made: " + (e.getReason() == null ? e : e.getReason()), e);
    }
    // The umask may also have removed rights of this user. Nobody else can have replaced the directory.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }

  /** A user who can rename entries of a directory above could put another directory in the place of ours. */
  private static void checkAbove(Path parent, String remedy) throws IOException {
    for (Path above = parent; above != null; above = above.getParent()) {
      int mode = (int) Files.getAttribute(above, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if ((mode & 02) != 0 && (mode & STICKY) == 0) {
        throw new IOException(above + " can be written by everybody and has no sticky bit, so others could replace what is in it; " + remedy);
      }
    }
  }
}
