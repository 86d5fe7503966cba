package dev.weft.pager.nbd;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A client that sends all kinds of requests to an NBD server, so that the code of the server and of its device is compiled in advance. It
 * writes random bytes. Each connection sends a burst of requests of one kind and then reads all replies.
 */
public final class NbdExercise {
  private static final int[] COMMANDS = {Nbd.CMD_WRITE, Nbd.CMD_READ, Nbd.CMD_WRITE, Nbd.CMD_READ, Nbd.CMD_TRIM, Nbd.CMD_WRITE,
      Nbd.CMD_WRITE_ZEROES, Nbd.CMD_BLOCK_STATUS, Nbd.CMD_FLUSH};
  private static final int ALIGNMENT = 4096;
  private static final int LENGTH_MAX = 256 << 10;
  private static final int BURST_BYTES = 2 << 20;
  private static final int BURST_MAX = 16;

  private NbdExercise() {}

  /**
   * The parts of the export that may be overwritten: {@code bytes} from each multiple of {@code stride} on.
   *
   * @param count number of parts
   * @param bytes length of each part, at least 4 KiB
   */
  public record Parts(int count, long stride, long bytes) {
    public Parts {
      if (count < 1 || bytes < ALIGNMENT || stride < bytes) {
        throw new IllegalArgumentException(count + " parts of " + bytes + " bytes, one every " + stride
            + "; there must be one or more, of 4096 bytes or more, that do not overlap");
      }
    }
  }

  /**
   * Sends requests until {@link System#nanoTime} reaches {@code endNs}. Blocks the caller.
   *
   * @param export name of the export; empty for the default export
   * @return number of answered requests
   * @throws IOException if the server cannot be reached, rejects a request, or does not speak NBD
   */
  public static long run(Path unixSocket, String export, int connections, Parts parts, long endNs)
      throws IOException, InterruptedException {
    try (ExecutorService threads = Executors.newFixedThreadPool(connections, Thread.ofPlatform().daemon().name("nbd-exercise-", 0).factory())) {
      List<Future<Long>> working = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        int seed = i;
        working.add(threads.submit(() -> work(unixSocket, export, seed, parts, endNs)));
      }
      long answered = 0;
      try {
        for (Future<Long> one : working) {
          answered += one.get();
        }
      } catch (ExecutionException e) {
        throw new IOException("the exercise of " + unixSocket + " failed: " + e.getCause(), e.getCause());
      } finally {
        threads.shutdownNow(); // The interrupt also closes the channels of waiting threads.
      }
      return answered;
    }
  }

  private static long work(Path unixSocket, String export, int seed, Parts parts, long endNs) throws IOException {
    try (Arena arena = Arena.ofConfined(); SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(unixSocket))) {
      Connection connection = new Connection(channel, arena, new SplittableRandom(seed));
      connection.enter(export.getBytes(StandardCharsets.UTF_8));
      long answered = 0;
      for (int burst = 0; System.nanoTime() < endNs; burst++) {
        // Two thirds of the requests may be long.
        int length = burst % 3 == 0 ? ALIGNMENT : Math.min(LENGTH_MAX, ALIGNMENT << burst % 7);
        answered += connection.burst(COMMANDS[burst % COMMANDS.length], parts, (int) Math.min(length, parts.bytes()));
      }
      connection.leave();
      return answered;
    }
  }

  /** One connection; used by its thread only. */
  private static final class Connection {
    private final SocketChannel channel;
    private final SplittableRandom random;
    private final ByteBuffer out;
    private final ByteBuffer in;

    Connection(SocketChannel channel, Arena arena, SplittableRandom random) {
      this.channel = channel;
      this.random = random;
      out = arena.allocate(BURST_BYTES + BURST_MAX * Nbd.REQUEST_BYTES).asByteBuffer();
      in = arena.allocate(64 << 10).asByteBuffer().limit(0);
      while (out.remaining() >= Long.BYTES) {
        out.putLong(random.nextLong()); // Nonzero payloads; requests overwrite parts of them.
      }
    }

    void enter(byte[] export) throws IOException {
      skip(18); // The greeting: two magic numbers and the flags.
      out.clear().putInt(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES);
      option(Nbd.OPT_STRUCTURED_REPLY, ByteBuffer.allocate(0));
      byte[] context = Nbd.BASE_ALLOCATION.getBytes(StandardCharsets.US_ASCII);
      option(Nbd.OPT_SET_META_CONTEXT, ByteBuffer.allocate(12 + export.length + context.length)
          .putInt(export.length).put(export).putInt(1).putInt(context.length).put(context).flip());
      option(Nbd.OPT_GO, ByteBuffer.allocate(6 + export.length).putInt(export.length).put(export).clear());
    }

    void leave() throws IOException {
      out.clear();
      request(Nbd.CMD_DISC, 0, 0);
      send();
    }

    private void option(int option, ByteBuffer data) throws IOException {
      out.putLong(Nbd.OPTION_MAGIC).putInt(option).putInt(data.remaining()).put(data);
      send();
      out.clear();
      int type;
      do {
        take(20);
        check("option reply", in.getLong() == Nbd.OPTION_REPLY_MAGIC);
        in.getInt();
        type = in.getInt();
        skip(in.getInt());
        check("answer " + Integer.toHexString(type) + " to option " + option, type >= 0);
      } while (type != Nbd.REP_ACK);
    }

    int burst(int command, Parts parts, int length) throws IOException {
      int count = command == Nbd.CMD_FLUSH ? 1 : Math.min(BURST_MAX, BURST_BYTES / length);
      out.clear();
      for (int i = 0; i < count; i++) {
        long within = random.nextLong((parts.bytes() - length) / ALIGNMENT + 1) * ALIGNMENT;
        boolean isFlush = command == Nbd.CMD_FLUSH;
        request(command, isFlush ? 0 : random.nextInt(parts.count()) * parts.stride() + within, isFlush ? 0 : length);
        if (command == Nbd.CMD_WRITE) {
          out.position(out.position() + length);
        }
      }
      send();
      for (int done = 0; done < count;) {
        done += reply() ? 1 : 0;
      }
      return count;
    }

    private void request(int command, long offset, int length) {
      out.putInt(Nbd.REQUEST_MAGIC).putShort((short) 0).putShort((short) command).putLong(0).putLong(offset).putInt(length);
    }

    private void send() throws IOException {
      out.flip();
      while (out.hasRemaining()) {
        channel.write(out);
      }
    }

    /** Reads one chunk of a reply; returns whether it was the last one. */
    private boolean reply() throws IOException {
      take(Nbd.SIMPLE_REPLY_BYTES);
      int magic = in.getInt();
      if (magic == Nbd.SIMPLE_REPLY_MAGIC) {
        int errno = in.getInt();
        in.getLong();
        check("error " + errno, errno == 0);
        return true;
      }
      check("reply magic " + Integer.toHexString(magic), magic == Nbd.STRUCTURED_REPLY_MAGIC);
      int flags = in.getShort();
      int type = in.getShort() & 0xffff;
      in.getLong();
      take(Integer.BYTES);
      int length = in.getInt();
      check("error chunk", type != Nbd.REPLY_ERROR);
      skip(length);
      return (flags & Nbd.REPLY_FLAG_DONE) != 0;
    }

    private static void check(String what, boolean isRight) throws IOException {
      if (!isRight) {
        throw new IOException("the server answered with " + what);
      }
    }

    /** Reads until {@link #in} has at least {@code bytes} bytes. */
    private void take(int bytes) throws IOException {
      if (in.remaining() >= bytes) {
        return;
      }
      in.compact();
      while (in.position() < bytes) {
        receive();
      }
      in.flip();
    }

    private void skip(int bytes) throws IOException {
      int left = bytes;
      while (left > in.remaining()) {
        left -= in.remaining();
        in.clear();
        receive();
        in.flip();
      }
      in.position(in.position() + left);
    }

    private void receive() throws IOException {
      if (channel.read(in) < 0) {
        throw new EOFException("the server has closed the connection");
      }
    }
  }
}
