package dev.weft.hca.netvm;

import dev.weft.fabric.memory.FileSpace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Pages in a file, for real time. One thread of its own reads and writes, in order; what waits for it is bounded by the frames of the host,
 * each of which has at most one request.
 */
public final class FileBackingStore implements BackingStore {
  private final FileChannel file;
  private final int pageBytes;
  private final ExecutorService disk =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("weft-page-file").factory());
  /** Place in the file, in pages. Both belong to the thread of the disk. */
  private final Map<Long, Long> places = new HashMap<>();
  private final ArrayDeque<Long> freePlaces = new ArrayDeque<>();
  private long nextPlace;

  /**
   * An empty store.
   *
   * @param path a file that is made, or emptied
   * @throws IOException if it cannot be
   */
  public FileBackingStore(Path path, int pageBytes) throws IOException {
    this(path, pageBytes, 0);
  }

  /**
   * An empty store whose first {@code reservedPages} pages cannot fail for want of space: the file system has set it aside.
   *
   * @param path a file that is made, or emptied
   * @throws IOException if it cannot be, or there is not so much space; the file is left then
   */
  public FileBackingStore(Path path, int pageBytes, int reservedPages) throws IOException {
    this.pageBytes = pageBytes;
    file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ,
        StandardOpenOption.WRITE);
    try {
      FileSpace.reserve(path, file, (long) reservedPages * pageBytes);
    } catch (IOException e) {
      file.close();
      disk.shutdown();
      throw e;
    }
  }

  @Override
  public void read(long page, MemorySegment frame, Done done) {
    request(done, () -> {
      Long place = places.get(page);
      if (place == null) {
        frame.fill((byte) 0);
        done.done(null);
        return;
      }
      done.done(transfer(frame.asByteBuffer(), place, false));
    });
  }

  @Override
  public void write(long page, MemorySegment frame, Done done) {
    request(done, () -> done.done(transfer(frame.asByteBuffer(), placeOf(page), true)));
  }

  /** What comes after the end fails: the hardware may still be at work. */
  private void request(Done done, Runnable task) {
    try {
      disk.execute(task);
    } catch (RejectedExecutionException closed) {
      done.done("the page file is closed");
    }
  }

  private long placeOf(long page) {
    Long place = places.get(page);
    if (place == null) {
      place = freePlaces.isEmpty() ? nextPlace++ : freePlaces.poll();
      places.put(page, place);
    }
    return place;
  }

  private String transfer(ByteBuffer bytes, long place, boolean write) {
    try {
      long at = place * pageBytes;
      while (bytes.hasRemaining()) {
        int count = write ? file.write(bytes, at) : file.read(bytes, at);
        if (count < 0) {
          return "the page file ends at " + at;
        }
        at += count;
      }
      return null;
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void discard(long page) {
    request(failure -> {}, () -> {
      Long place = places.remove(page);
      if (place != null) {
        freePlaces.add(place);
      }
    });
  }

  /** Ends the thread when what it was asked for is done. */
  @Override
  public void close() {
    disk.execute(() -> {
      try {
        file.close();
      } catch (IOException e) {
        throw new IllegalStateException("the page file could not be closed", e);
      }
    });
    disk.shutdown();
  }
}
