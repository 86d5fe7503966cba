package dev.weft.nbd;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.nbd.NbdTestClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** A client that writes and reads back blocks of a range, one request at a time, until it is stopped, and remembers each request. */
final class Load implements AutoCloseable {
  private static final int BLOCK_BYTES = 4096;
  private static final int PATIENCE_S = Waits.PATIENCE_S;

  /** One request. Times are of {@link System#nanoTime}. */
  record Sample(long beganNs, long endedNs, int errno) {
    long seconds() {
      return (endedNs - beganNs) / 1_000_000_000L;
    }
  }

  private final NbdTestClient client;
  private final long from;
  private final int blocks;
  private final Thread thread = Thread.ofPlatform().name("load").unstarted(this::run);
  private final List<Sample> samples = new ArrayList<>();
  private volatile int count;
  private volatile int errors;
  private volatile boolean stopping;
  private volatile Exception problem;

  private Load(NbdTestClient client, long from, int bytes) {
    this.client = client;
    this.from = from;
    this.blocks = bytes / BLOCK_BYTES;
  }

  static Load start(String uri, long from, int bytes) throws IOException {
    return start(uri, from, bytes, PATIENCE_S);
  }

  /** One whose requests may take so many seconds. */
  static Load start(String uri, long from, int bytes, int patienceS) throws IOException {
    Load load = new Load(new NbdTestClient(uri).patience(patienceS).go("", false), from, bytes);
    load.thread.start();
    return load;
  }

  private void run() {
    SplittableRandom random = new SplittableRandom(from);
    byte[] data = new byte[BLOCK_BYTES];
    byte[] back = new byte[BLOCK_BYTES];
    try {
      while (!stopping) {
        long at = from + (long) random.nextInt(blocks) * BLOCK_BYTES;
        random.nextBytes(data);
        long beganNs = System.nanoTime();
        int errno = client.write(at, data);
        note(beganNs, errno);
        beganNs = System.nanoTime();
        int readErrno = client.read(at, back);
        note(beganNs, readErrno);
        if (errno == 0 && readErrno == 0 && !Arrays.equals(data, back)) {
          throw new IOException("the block at " + at + " is not what was written there");
        }
      }
    } catch (IOException | RuntimeException e) {
      problem = e;
    }
  }

  private void note(long beganNs, int errno) {
    samples.add(new Sample(beganNs, System.nanoTime(), errno));
    count = samples.size();
    if (errno != 0) {
      errors = errors + 1;
    }
  }

  int count() {
    return count;
  }

  int errors() {
    return errors;
  }

  @Override
  public String toString() {
    return count + " requests from " + from + ", " + errors + " failed" + (problem == null ? "" : ", ended by " + problem);
  }

  /** Ends the load and tells what became of its requests; throws what ended it before. */
  List<Sample> stop() throws Exception {
    stopping = true;
    thread.join(PATIENCE_S * 1000L);
    if (problem != null) {
      throw problem;
    }
    if (thread.isAlive()) {
      throw new IOException("a request hangs");
    }
    return samples;
  }

  @Override
  public void close() throws IOException {
    stopping = true;
    client.close();
  }
}
