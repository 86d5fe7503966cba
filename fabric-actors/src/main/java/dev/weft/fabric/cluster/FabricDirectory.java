package dev.weft.fabric.cluster;

import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one fabric's own media driver, which other fabrics do not affect, even if they are killed (docs/internals/decisions/0008). Beside it is an
 * owner file that the fabric's first JVM keeps locked as long as its process lives. The file contains the address of the control plane, so that joining
 * JVMs find the driver. When a fabric of the same user starts, it removes what killed fabrics have left, also their drivers. Any thread.
 */
public final class FabricDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FabricDirectory.class);
  private static final String OWNER = ".owner";
  private static final Pattern NAME = Pattern.compile(".*-([0-9]{1,9})-[0-9a-f]+\\.owner");
  private static final int ANNOUNCEMENT_MAX = 8192;
  /** Owner files of this JVM. Opening and closing one of them a second time would end its lock. */
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
   * Makes a new directory beside {@code like}, after removing what dead fabrics have left there.
   *
   * @throws IOException if its parent cannot be made, or is not accessible to this user alone
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
      Files.move(made, owner, StandardCopyOption.ATOMIC_MOVE); // Under its final name, the file is always locked.
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
   * Writes the address of the fabric's control plane into the owner file.
   *
   * @param home directory with the records of the fabric's JVMs; null if there is none
   * @throws IOException if the file system is full; the message says which it is and what to do
   */
  public void announce(String address, Path home) throws IOException {
    try {
      channel.write(ByteBuffer.wrap((address + "\n" + (home == null ? "" : home.toAbsolutePath() + "\n")).getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException e) {
      throw DriverSpace.cannotWrite(owner, e);
    }
  }

  /** Returns the driver directory, beside {@code like}, of this user's living fabric with the control plane {@code address}; null if there is none. */
  public static Path find(MediaDriverSettings like, String address) throws IOException {
    for (Path owner : announced(like)) {
      Path directory = directoryOf(owner);
      if (line(owner, 0).equals(address) && isOfThisHost(owner) && MediaDriverProcess.isAlive(directory)) {
        return directory;
      }
    }
    return null;
  }

  /**
   * Returns the process ids of the living first JVMs of this user's other fabrics that record themselves in {@code home}. Their directories are beside
   * {@code like}.
   */
  public static List<Long> firstJvms(MediaDriverSettings like, Path home) throws IOException {
    List<Long> found = new ArrayList<>();
    for (Path owner : announced(like)) {
      Matcher name = NAME.matcher(owner.getFileName().toString());
      if (name.matches() && line(owner, 1).equals(home.toAbsolutePath().toString()) && isLocked(owner)) {
        found.add(Long.parseLong(name.group(1)));
      }
    }
    return found;
  }

  /** Whether a fabric is in this process's network namespace. Containers may share the directory with a fabric whose driver has other addresses. */
  private static boolean isOfThisHost(Path owner) throws IOException {
    Path own = Path.of("/proc/self/ns/net");
    Matcher name = NAME.matcher(owner.getFileName().toString());
    if (!name.matches() || !Files.exists(own)) {
      return true;
    }
    try {
      return Files.readSymbolicLink(Path.of("/proc", name.group(1), "ns/net")).equals(Files.readSymbolicLink(own));
    } catch (NoSuchFileException otherProcesses) {
      return false;
    } catch (AccessDeniedException unknown) {
      return true;
    }
  }

  private static boolean isLocked(Path owner) throws IOException {
    try (FileChannel channel = FileChannel.open(owner, StandardOpenOption.WRITE); FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (NoSuchFileException ended) {
      return false;
    }
  }

  private static List<Path> announced(MediaDriverSettings like) throws IOException {
    Path parent = like.directory().toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      return List.of();
    }
    PrivateDirectory.create(parent, MediaDriverProcess.REMEDY); // Makes sure that another user has not put files there.
    return owners(parent);
  }

  /** Returns a line of an owner file; empty if there is no such line, or the fabric has ended. */
  private static String line(Path owner, int number) throws IOException {
    try {
      List<String> lines = Files.size(owner) < ANNOUNCEMENT_MAX ? Files.readString(owner, StandardCharsets.UTF_8).lines().toList() : List.of();
      return number < lines.size() ? lines.get(number).strip() : "";
    } catch (NoSuchFileException ended) {
      return "";
    }
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
        continue; // Another JVM was quicker.
      } catch (OverlappingFileLockException own) {
        continue;
      }
    }
  }

  private static void remove(Path directory, Path owner) throws IOException {
    MediaDriverProcess.stopAndRemove(directory);
    Files.deleteIfExists(owner);
  }

  /** Stops the driver if it still runs, and removes all its files. Close all users of the driver first. */
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
