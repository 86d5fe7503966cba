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
 * Which JVMs of this host and user were given up by others, of whatever fabric: a file of their incarnations, which are unique, changed
 * under the kernel's lock. Of two sides that do not hear each other the one that comes first gives the other up, which finds itself there
 * when it comes, even much later; and a side that was killed does not come.
 */
final class HostArbiter {
  /** Remembered; older ones are forgotten. So many JVMs are not given up while one of them is paused. */
  private static final int GIVEN_UP_MAX = 4096;
  private static final String FILE = "given-up";

  /** The kernel's lock is one of the process: its threads wait for each other here. */
  private static final Object OWN_THREADS = new Object();

  private final Path file;

  /** {@code directory} is there, and nobody else may write to it. */
  HostArbiter(Path directory) {
    file = directory.resolve(FILE);
  }

  /**
   * Whether this side may go on: none of it was given up. If so, the other side is given up from now on. Waits for other JVMs that ask, each
   * for as long as a file is read and written.
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

  /** In the order in which they were given up. */
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
