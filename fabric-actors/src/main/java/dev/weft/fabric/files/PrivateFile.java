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

/** Files that their owner alone reads and writes, whatever the umask is, in a directory that others cannot write to ({@link PrivateDirectory}). */
public final class PrivateFile {
  private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<?> ATTRIBUTE = PosixFilePermissions.asFileAttribute(OWNER);

  private PrivateFile() {}

  /** Opens a file and makes it if it is not there; one that is there is closed to others. A link is refused. */
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
      return channel; // Somebody removed it meanwhile, as holders of locks do: nobody else finds it any more.
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    return channel;
  }

  /**
   * Gives a file this content, whole or not at all, also if the machine fails meanwhile; it is on the disk afterwards. One process at a time.
   *
   * @throws IOException if it cannot be written, or its file system does not rename atomically; the file is as it was
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

  /** Makes it, or empties it: for one that another process is to write. */
  public static void makeEmpty(Path file) throws IOException {
    open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING).close();
  }
}
