package dev.weft.tripwire.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The directory that a server exports. Each component of a path is opened relative to the open directory before it, and links are not followed. So no
 * file outside is reached, even if the tree changes meanwhile. One thread.
 */
final class ExportedRoot {
  private final Path root;

  /**
   * Exports a directory.
   *
   * @throws IOException if it is not a directory, or the machine cannot open files relative to a directory
   */
  ExportedRoot(Path directory) throws IOException {
    root = directory.toRealPath();
    open(List.of()).close();
  }

  /** Checks a name of one component; any other name could lead elsewhere. */
  static Path name(String name) throws FileException {
    if (name.isEmpty() || name.indexOf('\0') >= 0) {
      throw new FileException(FileStatus.INVALID, "a name is empty, or has a zero byte");
    }
    if (name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
      throw new FileException(FileStatus.ACCESS, "'" + name + "' is not the name of a file in a directory");
    }
    if (name.getBytes(StandardCharsets.UTF_8).length > FileRequest.NAME_MAX) {
      throw new FileException(FileStatus.NAME_TOO_LONG, "a name of more than " + FileRequest.NAME_MAX + " bytes");
    }
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw new FileException(FileStatus.INVALID, e.getMessage());
    }
  }

  @SuppressWarnings("StreamResourceLeak") // The caller closes it.
  private SecureDirectoryStream<Path> open(List<String> path) throws IOException {
    SecureDirectoryStream<Path> directory = secure(Files.newDirectoryStream(root));
    for (String component : path) {
      try (SecureDirectoryStream<Path> above = directory) {
        directory = above.newDirectoryStream(name(component), LinkOption.NOFOLLOW_LINKS);
      }
    }
    return directory;
  }

  private SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) throws IOException {
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    stream.close();
    throw new IOException("the file system of " + root + " cannot open files relative to a directory, so nothing can be exported safely");
  }

  private static BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name) throws IOException {
    BasicFileAttributes attributes =
        directory.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).readAttributes();
    if (attributes.isSymbolicLink()) {
      throw new FileException(FileStatus.ACCESS, "'" + name + "' is a symbolic link, which is not followed");
    }
    return attributes;
  }

  private static List<String> parent(List<String> path) {
    return path.subList(0, path.size() - 1);
  }

  BasicFileAttributes attributes(List<String> path) throws IOException {
    if (path.isEmpty()) {
      return Files.readAttributes(root, BasicFileAttributes.class);
    }
    try (SecureDirectoryStream<Path> directory = open(parent(path))) {
      return attributes(directory, name(path.getLast()));
    }
  }

  /** Opens a regular file; the caller closes it. */
  private FileChannel channel(List<String> path, OpenOption... options) throws IOException {
    if (path.isEmpty()) {
      throw new FileException(FileStatus.IS_DIRECTORY, "the exported directory is no file");
    }
    try (SecureDirectoryStream<Path> directory = open(parent(path))) {
      Path name = name(path.getLast());
      BasicFileAttributes attributes = attributes(directory, name);
      if (!attributes.isRegularFile()) { // Opening a pipe would block.
        throw new FileException(attributes.isDirectory() ? FileStatus.IS_DIRECTORY : FileStatus.UNSUPPORTED, "'" + name
            + "' is no regular file");
      }
      SeekableByteChannel channel = directory.newByteChannel(name, with(options, LinkOption.NOFOLLOW_LINKS));
      return (FileChannel) channel;
    }
  }

  private static Set<OpenOption> with(OpenOption[] options, OpenOption more) {
    Set<OpenOption> all = new LinkedHashSet<>(List.of(options));
    all.add(more);
    return all;
  }

  /** Fills a buffer from a file, with fewer bytes at the end of the file. */
  void read(List<String> path, long offset, ByteBuffer into) throws IOException {
    try (FileChannel channel = channel(path, StandardOpenOption.READ)) {
      long at = offset;
      while (into.hasRemaining()) {
        int count = channel.read(into, at);
        if (count < 0) {
          break;
        }
        at += count;
      }
    }
  }

  void write(List<String> path, long offset, ByteBuffer from) throws IOException {
    try (FileChannel channel = channel(path, StandardOpenOption.WRITE)) {
      long at = offset;
      while (from.hasRemaining()) {
        at += channel.write(from, at);
      }
    }
  }

  /** Makes the written data of a file durable. */
  void commit(List<String> path) throws IOException {
    try (FileChannel channel = channel(path, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Creates an empty file, which must not exist. */
  BasicFileAttributes create(List<String> directoryPath, String name) throws IOException {
    try (SecureDirectoryStream<Path> directory = open(directoryPath)) {
      Path path = name(name);
      directory.newByteChannel(path, with(new OpenOption[] {StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE},
          LinkOption.NOFOLLOW_LINKS)).close();
      return attributes(directory, path);
    }
  }

  /** Removes a file, a link or an empty directory. */
  void remove(List<String> directoryPath, String name) throws IOException {
    try (SecureDirectoryStream<Path> directory = open(directoryPath)) {
      Path path = name(name);
      if (directory.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).readAttributes().isDirectory()) {
        directory.deleteDirectory(path);
      } else {
        directory.deleteFile(path);
      }
    }
  }

  /**
   * Writes entries of a directory in the order of their names, each as a kind (0 other, 1 directory, 2 file), the length of the name and the name.
   *
   * @param after only entries after this name are written
   * @return whether all remaining entries found room
   */
  boolean list(List<String> path, String after, ByteBuffer into) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    String firstLeftOut = null;
    try (SecureDirectoryStream<Path> directory = open(path)) {
      int bytes = 0;
      for (Path each : directory) {
        String name = each.getFileName().toString();
        if (name.compareTo(after) <= 0 || (firstLeftOut != null && name.compareTo(firstLeftOut) > 0)) {
          continue;
        }
        names.add(name);
        bytes += entryBytes(name);
        while (bytes > into.remaining()) {
          firstLeftOut = names.pollLast();
          bytes -= entryBytes(firstLeftOut);
        }
      }
      for (String name : names) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        into.put(kind(directory, name)).putShort((short) text.length).put(text);
      }
    }
    return firstLeftOut == null;
  }

  private static int entryBytes(String name) {
    return 3 + name.getBytes(StandardCharsets.UTF_8).length;
  }

  private static byte kind(SecureDirectoryStream<Path> directory, String name) throws IOException {
    try {
      BasicFileAttributes attributes =
          directory.getFileAttributeView(Path.of(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).readAttributes();
      return (byte) (attributes.isDirectory() ? 1 : attributes.isRegularFile() ? 2 : 0);
    } catch (NoSuchFileException gone) {
      return 0;
    }
  }

  /** The status that a client gets for a failure of the operating system. */
  static FileStatus statusOf(IOException failure) {
    return switch (failure) {
      case FileException known -> known.status();
      case NoSuchFileException e -> FileStatus.NO_ENTRY;
      case FileAlreadyExistsException e -> FileStatus.EXISTS;
      case NotDirectoryException e -> FileStatus.NOT_DIRECTORY;
      case DirectoryNotEmptyException e -> FileStatus.NOT_EMPTY;
      case AccessDeniedException e -> FileStatus.ACCESS;
      default -> ofReason(String.valueOf(failure instanceof FileSystemException e ? e.getReason() : failure.getMessage()));
    };
  }

  private static FileStatus ofReason(String reason) {
    String text = reason.toLowerCase(Locale.ROOT);
    if (text.contains("symbolic link")) {
      return FileStatus.ACCESS;
    }
    if (text.contains("not a directory")) {
      return FileStatus.NOT_DIRECTORY;
    }
    return text.contains("no space") || text.contains("quota") ? FileStatus.NO_SPACE : FileStatus.IO;
  }
}
