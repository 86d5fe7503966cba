package dev.weft.fabric.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file in memory that is mapped, and then cut short: the mapping is there, its pages are not. */
public final class CutFile implements AutoCloseable {
  public static final int BYTES = 1 << 16;

  private final Arena arena = Arena.ofShared();
  private final Path path;
  private final RandomAccessFile file;
  private final MemorySegment memory;

  public CutFile() {
    try {
      Path shared = Path.of("/dev/shm");
      path = Files.isDirectory(shared) ? Files.createTempFile(shared, "weft-cut", ".map") : Files.createTempFile("weft-cut", ".map");
      file = new RandomAccessFile(path.toFile(), "rw");
      file.setLength(BYTES);
      memory = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena).fill((byte) 7);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public MemorySegment memory() {
    return memory;
  }

  public void cut() {
    cutTo(0);
  }

  /** Leaves the first bytes. */
  public void cutTo(long bytes) {
    try {
      file.setLength(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      arena.close();
      file.close();
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
