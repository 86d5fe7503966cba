package dev.weft.pvfs.nio;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.Channels;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Channels of all kinds. */
final class ChannelCases {
  private ChannelCases() {}

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String read(SeekableByteChannel channel, int bytes) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    int has = channel.read(buffer);
    return has + " " + new String(buffer.array(), 0, Math.max(0, has), StandardCharsets.US_ASCII);
  }

  static void addTo(NioCase.Book book) {
    book.add("options", ChannelCases::options);
    book.add("positions", ChannelCases::positions);
    book.add("what is not allowed", ChannelCases::refusals);
    book.add("scattered", ChannelCases::scattered);
    book.add("transfers", ChannelCases::transfers);
    book.add("transfers that do not begin", ChannelCases::transfersThatDoNotBegin);
    book.add("transfers within a file", ChannelCases::transfersWithinAFile);
    book.add("locks", ChannelCases::locks);
    book.add("appended", ChannelCases::appended);
    book.add("asynchronous", ChannelCases::asynchronous);
    book.add("text and streams", ChannelCases::streams);
    book.add("much data", ChannelCases::much);
    book.add("closed", ChannelCases::closed);
  }

  private static void options(Path root, NioCase saw) {
    List<List<OpenOption>> all = List.of(List.of(), List.of(READ), List.of(WRITE), List.of(CREATE), List.of(CREATE, WRITE), List.of(CREATE_NEW, WRITE),
        List.of(CREATE_NEW), List.of(WRITE, TRUNCATE_EXISTING), List.of(READ, TRUNCATE_EXISTING), List.of(APPEND), List.of(APPEND, READ),
        List.of(APPEND, TRUNCATE_EXISTING), List.of(CREATE, WRITE, SPARSE), List.of(WRITE, SYNC), List.of(WRITE, DSYNC), List.of(WRITE, DELETE_ON_CLOSE),
        List.of(CREATE, READ, WRITE, DELETE_ON_CLOSE));
    for (boolean isThere : new boolean[] {false, true}) {
      for (List<OpenOption> each : all) {
        Path file = root.resolve("f");
        saw.that(each + (isThere ? " of a file" : " of nothing"), () -> {
          Files.deleteIfExists(file);
          if (isThere) {
            Files.writeString(file, "12345");
          }
          try (SeekableByteChannel channel = Files.newByteChannel(file, each.toArray(OpenOption[]::new))) {
            return channel.size() + " " + channel.position() + " " + channel.isOpen();
          }
        });
        saw.that("left", () -> Files.exists(file) ? Files.size(file) : "nothing");
      }
    }
  }

  private static void positions(Path root, NioCase saw) throws Exception {
    try (FileChannel channel = FileChannel.open(root.resolve("f"), CREATE, READ, WRITE)) {
      saw.that("written", () -> channel.write(text("0123456789")) + " " + channel.position());
      saw.that("at the end", () -> read(channel, 5));
      saw.that("from 3", () -> read((SeekableByteChannel) channel.position(3), 4) + " " + channel.position());
      saw.that("beyond", () -> channel.position(20).position() + " " + channel.size() + " " + read(channel, 1));
      saw.that("a hole", () -> channel.write(text("x")) + " " + channel.size());
      ByteBuffer hole = ByteBuffer.allocate(12);
      saw.that("zeros", () -> channel.read(hole, 9) + Arrays.toString(hole.array()));
      saw.that("elsewhere", () -> channel.write(text("ab"), 2) + " " + channel.position() + " " + read((SeekableByteChannel) channel.position(0), 5));
      saw.that("cut", () -> channel.truncate(4).size() + " " + channel.position());
      saw.that("not longer", () -> channel.truncate(100).size());
      saw.that("nothing", () -> channel.read(ByteBuffer.allocate(0)) + " " + channel.write(ByteBuffer.allocate(0)));
      saw.that("empty buffer at the end", () -> channel.read(ByteBuffer.allocate(0), 1000));
      channel.force(true);
    }
  }

  private static void refusals(Path root, NioCase saw) throws Exception {
    Path file = Files.writeString(root.resolve("f"), "12345");
    try (FileChannel reads = FileChannel.open(file, READ); FileChannel writes = FileChannel.open(file, WRITE)) {
      saw.that("write", () -> reads.write(text("x")));
      saw.that("write at", () -> reads.write(text("x"), 1));
      saw.that("truncate", () -> reads.truncate(1));
      saw.that("read", () -> writes.read(ByteBuffer.allocate(1)));
      saw.that("read at", () -> writes.read(ByteBuffer.allocate(1), 0));
      saw.that("before the beginning", () -> reads.position(-1));
      saw.that("read before", () -> reads.read(ByteBuffer.allocate(1), -1));
      saw.that("write before", () -> writes.write(text("x"), -1));
      saw.that("cut before", () -> writes.truncate(-1));
      saw.that("read-only buffer", () -> reads.read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
      saw.that("transfer", () -> writes.transferTo(0, 1, writes));
      saw.that("bounds", () -> reads.read(new ByteBuffer[1], 1, 1));
    }
  }

  private static void scattered(Path root, NioCase saw) throws Exception {
    try (FileChannel channel = FileChannel.open(root.resolve("f"), CREATE, READ, WRITE)) {
      saw.that("gathered", () -> channel.write(new ByteBuffer[] {text("ab"), text(""), text("cdef")}) + " " + channel.position());
      ByteBuffer[] to = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(3), ByteBuffer.allocate(10)};
      saw.that("scattered", () -> channel.position(0).read(to) + " " + to[0].position() + to[1].position() + to[2].position());
      saw.that("end", () -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(1)}));
      saw.that("some", () -> channel.position(0).read(new ByteBuffer[] {null, ByteBuffer.allocate(2), null}, 1, 1));
    }
  }

  private static void transfers(Path root, NioCase saw) throws Exception {
    byte[] data = new byte[3_000_000];
    new Random(1).nextBytes(data);
    Path file = Files.write(root.resolve("f"), data);
    try (FileChannel channel = FileChannel.open(file, READ, WRITE); FileChannel other = FileChannel.open(root.resolve("g"), CREATE, READ, WRITE)) {
      saw.that("to a channel", () -> channel.transferTo(100, 2_000_000, other) + " " + other.size() + " " + channel.position());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      saw.that("to a stream", () -> channel.transferTo(2_999_990, 100, Channels.newChannel(out)) + " "
          + Arrays.equals(out.toByteArray(), Arrays.copyOfRange(data, 2_999_990, 3_000_000)));
      saw.that("from a stream", () -> channel.transferFrom(Channels.newChannel(new ByteArrayInputStream(new byte[50])), 10, 20) + " " + channel.size());
      saw.that("from a channel", () -> channel.transferFrom(other.position(0), 3_000_000, 1_500_000) + " " + channel.size() + " " + other.position());
      saw.that("beyond the end", () -> channel.transferTo(10_000_000, 5, other));
      saw.that("into a gap", () -> channel.transferFrom(other.position(0), 50_000_000, 5));
      saw.that("negative", () -> channel.transferTo(0, -1, other));
    }
    saw.that("same", () -> Files.mismatch(file, root.resolve("g")));
  }

  private static void transfersThatDoNotBegin(Path root, NioCase saw) throws Exception {
    Path file = Files.writeString(root.resolve("f"), "12345");
    ByteArrayInputStream in = new ByteArrayInputStream(new byte[50]);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FileChannel closed = FileChannel.open(file, READ, WRITE);
    closed.close();
    for (long bytes : new long[] {-1, 0, 5}) {
      saw.that(bytes + " from a stream into a closed one", () -> closed.transferFrom(Channels.newChannel(in), 0, bytes));
      saw.that(bytes + " from a closed one to a stream", () -> closed.transferTo(0, bytes, Channels.newChannel(out)));
    }
    saw.that("beyond the end of a closed one", () -> closed.transferTo(100, 5, Channels.newChannel(out)));
    try (FileChannel reads = FileChannel.open(file, READ); FileChannel writes = FileChannel.open(file, WRITE)) {
      for (long bytes : new long[] {0, 5}) {
        saw.that(bytes + " into one to be read", () -> reads.transferFrom(Channels.newChannel(in), 0, bytes));
        saw.that(bytes + " from one to be written", () -> writes.transferTo(0, bytes, Channels.newChannel(out)));
        saw.that(bytes + " to one to be read", () -> reads.transferTo(0, bytes, reads));
        saw.that(bytes + " out of one to be written", () -> writes.transferFrom(writes, 0, bytes));
        saw.that(bytes + " out of a closed one", () -> writes.transferFrom(closed, 0, bytes));
        saw.that(bytes + " to a closed one", () -> reads.transferTo(0, bytes, closed));
      }
      saw.that("before the beginning", () -> writes.transferFrom(Channels.newChannel(in), -1, 5));
    }
    saw.that("left", () -> in.available() + " " + out.size() + Files.readString(file));
  }

  private static void transfersWithinAFile(Path root, NioCase saw) throws Exception {
    Path file = Files.writeString(root.resolve("f"), "0123456789");
    try (FileChannel channel = FileChannel.open(file, READ, WRITE); FileChannel other = FileChannel.open(file, READ)) {
      saw.that("from itself", () -> channel.transferFrom(channel, 10, 100) + " " + channel.position() + Files.readString(file));
      saw.that("from another channel", () -> channel.transferFrom(other.position(15), 20, 100) + " " + other.position() + Files.readString(file));
      saw.that("from the end", () -> channel.transferFrom(channel.position(25), 25, 100) + Files.readString(file));
      saw.that("to itself", () -> channel.transferTo(5, 100, channel.position(25)) + " " + channel.position() + Files.readString(file));
      saw.that("to another channel", () -> other.transferTo(40, 100, channel.position(45)) + Files.readString(file));
      saw.that("some", () -> other.transferTo(2, 3, channel.position(0)) + Files.readString(file));
      saw.that("from beyond", () -> other.transferTo(1000, 3, channel.position(0)) + Files.readString(file));
    }
    byte[] data = new byte[3_000_000];
    new Random(2).nextBytes(data);
    try (FileChannel channel = FileChannel.open(Files.write(file, data), READ, WRITE)) {
      saw.that("much", () -> channel.transferFrom(channel, data.length, Long.MAX_VALUE) + " " + channel.size());
    }
    byte[] twice = Arrays.copyOf(data, 2 * data.length);
    System.arraycopy(data, 0, twice, data.length, data.length);
    saw.that("all of it", () -> Arrays.equals(twice, Files.readAllBytes(file)));
  }

  private static void locks(Path root, NioCase saw) throws Exception {
    Path file = Files.writeString(root.resolve("f"), "0123456789");
    try (FileChannel channel = FileChannel.open(file, READ, WRITE); AsynchronousFileChannel later = AsynchronousFileChannel.open(file, READ, WRITE)) {
      for (long[] range : new long[][] {{0, 0}, {5, 0}, {Long.MAX_VALUE, 0}, {3, 7}, {3, Long.MAX_VALUE - 3}, {0, Long.MAX_VALUE}, {-1, 0}, {5, -1},
          {5, Long.MAX_VALUE}}) {
        String text = " " + range[0] + " " + range[1];
        saw.that("lock" + text, () -> seen(channel.lock(range[0], range[1], false)));
        saw.that("try" + text, () -> seen(channel.tryLock(range[0], range[1], true)));
        saw.that("lock later" + text, () -> seen(later.lock(range[0], range[1], false).get()));
        saw.that("try later" + text, () -> seen(later.tryLock(range[0], range[1], true)));
      }
      saw.that("two", () -> {
        try (FileLock lock = channel.lock(5, 0, false)) {
          return lock.isValid() + " " + channel.tryLock(0, 5, false).size() + channel.tryLock(100, 1, false);
        }
      });
    }
  }

  private static String seen(FileLock lock) throws Exception {
    try (lock) {
      return lock.position() + " " + lock.size() + lock.isShared() + lock.isValid() + lock.overlaps(7, 1) + lock.overlaps(0, 0) + lock.overlaps(0, 2)
          + lock.overlaps(1L << 40, 1);
    }
  }

  private static void appended(Path root, NioCase saw) throws Exception {
    Path file = Files.writeString(root.resolve("f"), "abc");
    try (FileChannel one = FileChannel.open(file, APPEND); FileChannel two = FileChannel.open(file, WRITE, APPEND)) {
      saw.that("begins", () -> one.position());
      one.write(text("1"));
      two.write(text("22"));
      one.write(text("333"));
      saw.that("position", () -> one.position() + " " + one.size());
      saw.that("elsewhere", () -> one.position(0).write(text("4")));
      saw.that("read", () -> one.read(ByteBuffer.allocate(1)));
    }
    saw.that("all", () -> Files.readString(file));
    saw.that("lines", () -> Files.readAllLines(Files.write(file, List.of("x", "y"), APPEND)));
  }

  private static void asynchronous(Path root, NioCase saw) throws Exception {
    Path file = root.resolve("f");
    saw.that("append", () -> AsynchronousFileChannel.open(file, CREATE, APPEND));
    saw.that("nothing there", () -> AsynchronousFileChannel.open(file, READ));
    try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(file, CREATE, READ, WRITE)) {
      saw.that("written", () -> channel.write(text("0123456789"), 5).get() + " " + channel.size());
      ByteBuffer to = ByteBuffer.allocate(6);
      saw.that("read", () -> channel.read(to, 10).get() + " " + to.position() + " " + new String(to.array(), 0, 5, StandardCharsets.US_ASCII));
      saw.that("end", () -> channel.read(ByteBuffer.allocate(1), 100).get());
      saw.that("nothing", () -> channel.read(ByteBuffer.allocate(0), 100).get());
      CompletableFuture<String> told = new CompletableFuture<>();
      channel.read(ByteBuffer.allocate(3), 0, "note", new CompletionHandler<Integer, String>() {
        @Override
        public void completed(Integer bytes, String note) {
          told.complete(bytes + note);
        }

        @Override
        public void failed(Throwable why, String note) {
          told.completeExceptionally(why);
        }
      });
      saw.that("told", told::get);
      saw.that("before", () -> channel.read(ByteBuffer.allocate(1), -1));
      saw.that("read-only", () -> channel.read(ByteBuffer.allocate(1).asReadOnlyBuffer(), 0));
      saw.that("cut", () -> channel.truncate(7).size());
      channel.force(false);
    }
    AsynchronousFileChannel channel = AsynchronousFileChannel.open(file, READ);
    channel.close();
    saw.that("closed", () -> {
      try {
        return channel.read(ByteBuffer.allocate(1), 0).get();
      } catch (ExecutionException failed) {
        return failed.getCause().getClass().getSimpleName();
      }
    });
    saw.that("size of a closed one", channel::size);
    try (AsynchronousFileChannel reads = AsynchronousFileChannel.open(file, READ)) {
      saw.that("not to be written", () -> reads.write(text("x"), 0));
      saw.that("not to be cut", () -> reads.truncate(0));
    }
  }

  private static void streams(Path root, NioCase saw) throws Exception {
    Path file = root.resolve("f");
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (int i = 0; i < 2000; i++) {
        writer.write("line " + i + "\n");
      }
    }
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      saw.that("lines", () -> reader.lines().filter(line -> line.endsWith("7")).count());
    }
    try (var in = Files.newInputStream(file)) {
      saw.that("skipped", () -> in.skip(100) + " " + in.available() + " " + new String(in.readNBytes(8), StandardCharsets.US_ASCII));
    }
    saw.that("into a directory", () -> Files.newOutputStream(root).getClass());
    saw.that("read with an option to write", () -> Files.newInputStream(file, WRITE));
    saw.that("write with an option to read", () -> Files.newOutputStream(file, READ));
  }

  private static void much(Path root, NioCase saw) throws Exception {
    Path file = root.resolve("f");
    byte[] model = new byte[400_000];
    Random random = new Random(7);
    int end = 0;
    try (FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE)) {
      for (int i = 0; i < 60; i++) {
        int at = random.nextInt(300_000);
        byte[] data = new byte[1 + random.nextInt(90_000)];
        random.nextBytes(data);
        ByteBuffer buffer = i % 2 == 0 ? ByteBuffer.wrap(data) : ByteBuffer.allocateDirect(data.length).put(data).flip();
        channel.write(buffer, at);
        System.arraycopy(data, 0, model, at, data.length);
        end = Math.max(end, at + data.length);
      }
      int bytes = end;
      ByteBuffer back = ByteBuffer.allocate(bytes + 10);
      saw.that("read", () -> channel.read(back, 0) == bytes && Arrays.equals(Arrays.copyOf(model, bytes), Arrays.copyOf(back.array(), bytes)));
    }
    byte[] expected = Arrays.copyOf(model, end);
    saw.that("read all", () -> Arrays.equals(expected, Files.readAllBytes(file)));
  }

  private static void closed(Path root, NioCase saw) throws Exception {
    FileChannel channel = FileChannel.open(root.resolve("f"), CREATE, READ, WRITE);
    channel.close();
    channel.close();
    saw.that("read", () -> channel.read(ByteBuffer.allocate(1)));
    saw.that("size", channel::size);
    saw.that("position", channel::position);
    saw.that("set position", () -> channel.position(1));
    saw.that("truncate", () -> channel.truncate(1));
    saw.that("force", () -> {
      channel.force(false);
      return "done";
    });
  }
}
