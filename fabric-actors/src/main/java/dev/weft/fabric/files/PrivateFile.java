package dev.weft.fabric.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Files that only their owner can read and write, whatever the umask is. They must be in a {@link PrivateDirectory}, which others cannot write to. */
public final class PrivateFile {
  private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<?> ATTRIBUTE = PosixFilePermissions.asFileAttribute(OWNER);

  private PrivateFile() {}

  /** Opens a file and creates it if it does not exist. An existing file is closed to others. Fails if the file is a link. */
  public static FileChannel open(Path file, StandardOpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(List.of(options));
    all.add(StandardOpenOption.CREATE);
    all.add(LinkOption.NOFOLLOW_LINKS);
    FileChannel channel = FileChannel.open(file, all, ATTRIBUTE);
    try {
      if (!Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS).equals(OWNER)) {
        Files.setPosixFilePermissions(file, OWNER);
      }
    } catch (NoSuchFileException removed) {
      return channel; // Another process removed it meanwhile, as holders of locks do. Nobody else can find it any more.
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    return channel;
  }

  /**
   * Replaces the content of a file atomically, also if the machine fails meanwhile. The content is on the disk when the call returns. Only one
   * process may do this at a time.
   *
   * @throws IOException if the file cannot be written, or its file system does not rename atomically; the file is then unchanged, or has
   *     the new content if only the sync of its directory failed
   */
  public static void replace(Path file, byte[] content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel = open(fresh, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer left = ByteBuffer.wrap(content);
      while (left.hasRemaining()) {
        channel.write(left);
      }
      channel.force(true);
    }
    try {
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException("its file system does not rename atomically", e);
    }
    try (FileChannel names = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /** Creates or empties a file that another process will write. */
  public static void makeEmpty(Path file) throws IOException {
    open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING).close();
  }
}
