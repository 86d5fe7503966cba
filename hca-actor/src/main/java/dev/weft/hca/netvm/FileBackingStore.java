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
 * Stores pages in a file, for real time. One separate thread reads and writes, in order. The number of the host's frames bounds its queue, because each
 * frame has at most one request.
 */
public final class FileBackingStore implements BackingStore {
  private final FileChannel file;
  private final int pageBytes;
  private final ExecutorService disk =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("weft-page-file").factory());
  /** The location of each page in the file, in pages. Used, like the free locations, only by the store's thread. */
  private final Map<Long, Long> places = new HashMap<>();
  private final ArrayDeque<Long> freePlaces = new ArrayDeque<>();
  private long nextPlace;

  /**
   * Creates an empty store.
   *
   * @param path the file to create or to truncate
   * @throws IOException if that fails
   */
  public FileBackingStore(Path path, int pageBytes) throws IOException {
    this(path, pageBytes, 0);
  }

  /**
   * Creates an empty store and reserves space in the file system, so that the first {@code reservedPages} pages cannot fail for lack of space.
   *
   * @param path the file to create or to truncate
   * @throws IOException if that fails or the space is missing; the file then remains
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

  /** Runs a task on the store's thread. Answers with a failure if the store is closed, because the hardware may still send requests then. */
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

  /** Ends the thread after the outstanding requests. */
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
