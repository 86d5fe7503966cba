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
 * A directory that is this user's alone: nobody else lists it, reads what is in it or puts something into it. It is checked without following
 * a link, and made in one step, whatever the umask is. Somebody else who has made it first is found out, and nothing is put into it then.
 */
public final class PrivateDirectory {
  private static final int OTHERS = 077;
  private static final int OTHERS_WRITE = 022;
  private static final int STICKY = 01000;
  private static final String MODE = "unix:mode,uid";

  private PrivateDirectory() {}

  /**
   * Makes it for this user alone, with those above it, if it is not there.
   *
   * @param remedy what to do where it cannot be used, for example another setting
   * @throws IOException if it is no directory, somebody else's or open to others, or if others may replace it; the text says so
   */
  public static void create(Path directory, String remedy) throws IOException {
    check(directory, remedy, OTHERS, "is open to other users");
  }

  /** The same, but one of this user's that is there already may be read by others: what is put into it must be closed itself. */
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

  /** With its rights from the beginning: it is never open to others, not even for a moment. */
  private static void make(Path directory) throws IOException {
    try {
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException there) {
      return;
    } catch (FileSystemException e) {
      throw new IOException(directory + " cannot be made: " + (e.getReason() == null ? e : e.getReason()), e);
    }
    // A umask may have taken some of ours away, too. Nobody else can have replaced the directory.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }

  /** Who may rename what is in a directory above could put another in the place of ours. */
  private static void checkAbove(Path parent, String remedy) throws IOException {
    for (Path above = parent; above != null; above = above.getParent()) {
      int mode = (int) Files.getAttribute(above, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if ((mode & 02) != 0 && (mode & STICKY) == 0) {
        throw new IOException(above + " can be written by everybody and has no sticky bit, so others could replace what is in it; " + remedy);
      }
    }
  }
}
