package dev.weft.fabric.cluster;

import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one fabric's own media driver: what another fabric does, or how it ends, does not touch it (docs/adr/0008). Beside it lies a
 * file that the fabric's first JVM keeps locked as long as it lives, however it ends; it names the control plane, so that JVMs which join find
 * the driver. What a killed fabric has left, its driver among it, goes when the next one of the same user starts. Any thread.
 */
public final class FabricDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FabricDirectory.class);
  private static final String OWNER = ".owner";
  private static final int ADDRESS_MAX = 256;
  /** Files of this JVM: to open one of them once more would end its lock. */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final Path owner;
  private final FileChannel channel;

  private FabricDirectory(Path directory, Path owner, FileChannel channel) {
    this.directory = directory;
    this.owner = owner;
    this.channel = channel;
  }

  /**
   * A new one beside {@code like}, after what dead fabrics have left there was removed.
   *
   * @throws IOException if its parent is not this user's alone, or cannot be made
   */
  public static FabricDirectory create(MediaDriverSettings like) throws IOException {
    Path base = like.directory().toAbsolutePath();
    PrivateDirectory.create(base.getParent(), MediaDriverProcess.REMEDY);
    removeDead(base.getParent());
    String name = base.getFileName() + "-" + ProcessHandle.current().pid() + "-"
        + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    Path made = base.resolveSibling(name + ".new");
    Path owner = base.resolveSibling(name + OWNER);
    FileChannel channel = PrivateFile.open(made, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw new IOException("somebody has locked " + made);
      }
      OWN.add(owner);
      Files.move(made, owner, StandardCopyOption.ATOMIC_MOVE); // Whoever sees it finds it locked.
      return new FabricDirectory(base.resolveSibling(name), owner, channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  public Path path() {
    return directory;
  }

  /**
   * Says where the control plane of the fabric is.
   *
   * @throws IOException if somebody else has taken the room meanwhile; the text says where, and what to do
   */
  public void announce(String address) throws IOException {
    try {
      channel.write(ByteBuffer.wrap((address + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
    } catch (IOException e) {
      throw DriverSpace.cannotWrite(owner, e);
    }
  }

  /** The driver directory of the living fabric of this user with that control plane, next to {@code like}; null if there is none. */
  public static Path find(MediaDriverSettings like, String address) throws IOException {
    Path parent = like.directory().toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      return null;
    }
    PrivateDirectory.create(parent, MediaDriverProcess.REMEDY); // Not what somebody else has put there.
    for (Path owner : owners(parent)) {
      Path directory = directoryOf(owner);
      if (Files.size(owner) < ADDRESS_MAX && Files.readString(owner, StandardCharsets.US_ASCII).strip().equals(address)
          && MediaDriverProcess.isAlive(directory)) {
        return directory;
      }
    }
    return null;
  }

  private static Path directoryOf(Path owner) {
    String name = owner.getFileName().toString();
    return owner.resolveSibling(name.substring(0, name.length() - OWNER.length()));
  }

  private static List<Path> owners(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      return new ArrayList<>(files.filter(file -> file.toString().endsWith(OWNER) && !OWN.contains(file)).sorted().toList());
    }
  }

  private static void removeDead(Path parent) throws IOException {
    for (Path owner : owners(parent)) {
      try (FileChannel channel = FileChannel.open(owner, StandardOpenOption.WRITE); FileLock lock = channel.tryLock()) {
        if (lock != null) {
          LOG.debug("removing what a dead fabric has left in {}", directoryOf(owner));
          remove(directoryOf(owner), owner);
        }
      } catch (NoSuchFileException gone) {
        continue; // Another one was quicker.
      } catch (OverlappingFileLockException own) {
        continue;
      }
    }
  }

  private static void remove(Path directory, Path owner) throws IOException {
    MediaDriverProcess.stopAndRemove(directory);
    Files.deleteIfExists(owner);
  }

  /** Stops the driver, if it still runs, and removes all of it. Give up what uses the driver first. */
  @Override
  public void close() throws IOException {
    try {
      remove(directory, owner);
    } finally {
      OWN.remove(owner);
      channel.close();
    }
  }
}
