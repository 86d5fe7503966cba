package dev.weft.fabric.cluster;

import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Decides, on one host, which side of a partition survives. A file contains the incarnations, which are unique, of the JVMs of this user
 * that were given up, in any fabric; a file lock guards it. If two sides of a fabric do not hear each other, the side that comes first adds
 * the other side to the file. The other side then finds itself there when it comes, even much later. A side that was killed never comes.
 */
final class HostArbiter {
  /** Largest number of incarnations in the file; older ones are dropped. While a JVM is paused, fewer others than this are given up. */
  private static final int GIVEN_UP_MAX = 4096;
  private static final String FILE = "given-up";

  /** A file lock belongs to the whole process, so the threads of this process exclude each other here. */
  private static final Object OWN_THREADS = new Object();

  private final Path file;

  /** {@code directory} must exist, and no other user may write to it. */
  HostArbiter(Path directory) {
    file = directory.resolve(FILE);
  }

  /**
   * Returns whether this side may go on, because none of its JVMs was given up. If so, gives the other side up. Waits for other JVMs that
   * call this; each takes as long as reading and writing a file.
   */
  boolean mayGoOn(Collection<Long> thisSide, Collection<Long> otherSide) throws IOException {
    synchronized (OWN_THREADS) {
      try (FileChannel channel = PrivateFile.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
          FileLock _ = channel.lock()) {
        Set<Long> givenUp = read(channel);
        if (thisSide.stream().anyMatch(givenUp::contains)) {
          return false;
        }
        if (givenUp.addAll(otherSide)) {
          write(channel, givenUp);
        }
        return true;
      }
    }
  }

  /** Returns the incarnations in the order in which they were given up. */
  private static Set<Long> read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), (long) GIVEN_UP_MAX * Long.BYTES));
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
      continue;
    }
    bytes.flip();
    Set<Long> found = new LinkedHashSet<>();
    while (bytes.remaining() >= Long.BYTES) {
      found.add(bytes.getLong());
    }
    return found;
  }

  private static void write(FileChannel channel, Set<Long> givenUp) throws IOException {
    long skipped = Math.max(0, givenUp.size() - GIVEN_UP_MAX);
    ByteBuffer bytes = ByteBuffer.allocate((int) (givenUp.size() - skipped) * Long.BYTES);
    givenUp.stream().skip(skipped).forEach(bytes::putLong);
    bytes.flip();
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
    channel.truncate(bytes.limit());
  }
}
