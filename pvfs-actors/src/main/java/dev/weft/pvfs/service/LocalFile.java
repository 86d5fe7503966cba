package dev.weft.pvfs.service;

import dev.weft.service.CommandFailure;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A file of this host, as the user of a command has named it. The command's own process opens it, with the rights of its user. */
record LocalFile(String name, Path path) {
  private static final Pattern DESCRIPTORS = Pattern.compile("/proc/([0-9]+)(/task/[0-9]+)?/fd");
  private static final int LINKS_MAX = 40;
  private static final int STANDARD = 2;
  private static final String FLAGS = "flags:";
  private static final String UMASK = "Umask:";
  private static final int NEW_FILE = 0666;
  private static final int ACCESS = 3;
  private static final int WRITE_ONLY = 1;
  private static final long CLOSES_ON_EXEC = 02000000;
  private static final int OF_ANOTHER = Integer.MAX_VALUE;
  /** No descriptor. */
  static final int NONE = -1;

  /** @throws CommandFailure if this JVM cannot express the name */
  static LocalFile named(String name) {
    try {
      return new LocalFile(name, Path.of(name));
    } catch (InvalidPathException wrong) {
      throw new CommandFailure(name + ": this name cannot be opened on this host, because it is not text in the encoding of the locale ("
          + System.getProperty("sun.jnu.encoding") + "); rename the file, or pass its content by /dev/stdin or /dev/stdout", wrong);
    }
  }

  LocalIdentity identity() {
    return LocalIdentity.of(path);
  }

  /** Returns the permissions of a copy: those of the file, of a pipe or device all that a new file may have, without those of the umask. */
  int mode() throws IOException {
    int own = Files.isRegularFile(path) ? (Integer) explained(() -> Files.getAttribute(path, "unix:mode")) : NEW_FILE;
    return masked(own);
  }

  /** Returns permissions without set-id bits and without those that the umask of this process removes. */
  static int masked(int mode) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      int umask = lines.filter(line -> line.startsWith(UMASK)).mapToInt(line -> Integer.parseInt(line.substring(UMASK.length()).trim(), 8)).findFirst()
          .orElse(022);
      return mode & 0777 & ~umask;
    }
  }

  /** Opens it for reading. For a pipe without a writer, this waits. */
  FileChannel source() throws IOException {
    if (descriptor() == 0) {
      if ((flags(0) & ACCESS) == WRITE_ONLY) {
        throw new CommandFailure(name + ": standard input is closed, or open only for writing");
      }
      return new FileInputStream(FileDescriptor.in).getChannel();
    }
    if (Files.isDirectory(path)) {
      throw new CommandFailure(name + " is a directory; name a file");
    }
    return explained(() -> FileChannel.open(path, StandardOpenOption.READ));
  }

  /** Returns standard output or standard error if the file names one of them, otherwise null. */
  FileChannel standardOutput() {
    int descriptor = descriptor();
    return descriptor == 1 || descriptor == STANDARD
        ? new FileOutputStream(descriptor == 1 ? FileDescriptor.out : FileDescriptor.err).getChannel() : null;
  }

  /**
   * Returns the descriptor that the name denotes, such as /dev/stdout or /dev/fd/63; {@link #NONE} if none. Descriptors other than the standard ones
   * are opened by name.
   */
  int descriptor() {
    Path at = path.toAbsolutePath();
    try {
      for (int links = 0; links < LINKS_MAX && at.getParent() != null; links++) {
        Path directory = at.getParent().toRealPath();
        Matcher descriptors = DESCRIPTORS.matcher(directory.toString());
        if (descriptors.matches() && at.getFileName().toString().matches("[0-9]{1,9}")) {
          boolean isOwn = descriptors.group(1).equals(Long.toString(ProcessHandle.current().pid()));
          return isOwn ? inherited(Integer.parseInt(at.getFileName().toString())) : OF_ANOTHER;
        }
        if (!Files.isSymbolicLink(at)) {
          return NONE;
        }
        at = directory.resolve(Files.readSymbolicLink(at));
      }
    } catch (IOException unreadable) {
      return NONE; // The open reports the reason.
    }
    return NONE;
  }

  /** Checks that this JVM has the descriptor from its user. The JVM itself also has files open, such as the jars of the JDK and of Weft. */
  private int inherited(int descriptor) throws IOException {
    String given = System.getenv("WEFT_DESCRIPTORS"); // Set by the script that started this JVM.
    if (given != null && !given.isBlank() && !List.of(given.split(" ")).contains(Integer.toString(descriptor))) {
      throw notOpen(descriptor, null);
    }
    if ((flags(descriptor) & CLOSES_ON_EXEC) != 0) { // So it was not inherited through execve(2).
      throw notOpen(descriptor, null);
    }
    return descriptor;
  }

  /** Returns its flags, as of open(2). */
  private long flags(int descriptor) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/fdinfo", Integer.toString(descriptor)))) {
      return lines.filter(line -> line.startsWith(FLAGS)).mapToLong(line -> Long.parseLong(line.substring(FLAGS.length()).trim(), 8)).findFirst().orElse(0);
    } catch (NoSuchFileException closed) {
      throw notOpen(descriptor, closed);
    }
  }

  private CommandFailure notOpen(int descriptor, Exception cause) {
    return new CommandFailure(name + ": descriptor " + descriptor + " is not open; open a file as it, or name the file", cause);
  }

  /** An operation on a file. */
  interface Action<T> {
    T run() throws IOException;
  }

  /** Runs an operation on the file; an error says in one line what failed, and why. */
  <T> T explained(Action<T> action) throws IOException {
    try {
      return action.run();
    } catch (NoSuchFileException missing) {
      throw new CommandFailure(name + ": no such file on this host, or no such directory", missing);
    } catch (AccessDeniedException denied) {
      throw new CommandFailure(name + ": permission denied on this host", denied);
    } catch (FileSystemException failed) {
      throw new CommandFailure(name + ": " + (failed.getReason() == null ? failed.getMessage() : failed.getReason()), failed);
    }
  }
}
