package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests, whole and broken, and what is answered, without a kernel. */
@Timeout(180)
class RequestHandlerTest {
  private static final int TRANSFER = 1 << 20;
  private static final int IN_FLIGHT = 8;
  private static final long UNIQUE = 0x1122334455667788L;

  private final RecordingPort port = new RecordingPort();
  private final FuseRequest in = new FuseRequest();
  private Outstanding outstanding;
  private RequestBuffers buffers;
  private RequestHandler handler;
  private RequestBuffer buffer;

  @BeforeAll
  static void assumePossible() {
    Assumptions.assumeTrue(LinuxCalls.problem() == null, LinuxCalls.problem());
  }

  @BeforeEach
  void serveMemory() throws Exception {
    serve(new MemoryFileSystem(16 << 20));
  }

  private void serve(FuseFileSystem files) throws Exception {
    outstanding = new Outstanding(IN_FLIGHT, 2);
    buffers = new RequestBuffers(3, TRANSFER);
    handler = new RequestHandler(files, FuseOptions.named("test"), outstanding, buffers);
    buffer = buffers.take();
  }

  private static ByteBuffer request(int opcode, long node, int bodyBytes) {
    return ByteBuffer.allocate(Protocol.IN_HEADER_BYTES + bodyBytes).order(ByteOrder.nativeOrder()).putInt(Protocol.IN_HEADER_BYTES + bodyBytes).putInt(opcode)
        .putLong(UNIQUE).putLong(node).putInt(1000).putInt(1001).putInt(4242).putInt(0);
  }

  private static ByteBuffer named(int opcode, long node, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
    return request(opcode, node, bytes.length + 1).put(bytes).put((byte) 0);
  }

  private boolean handle(byte[] message) throws Exception {
    outstanding.acquire();
    MemorySegment.copy(message, 0, buffer.request(), ValueLayout.JAVA_BYTE, 0, message.length);
    RequestBuffer next = handler.handle(port, buffer, in, message.length);
    boolean isKept = next == null;
    buffer = isKept ? buffers.take() : next;
    return isKept;
  }

  private RecordingPort.Answer answer(ByteBuffer message) throws Exception {
    handle(message.array());
    RecordingPort.Answer answer = port.only();
    assertEquals(UNIQUE, answer.unique());
    return answer;
  }

  private void assertNothingLeft() throws Exception {
    assertEquals(0, outstanding.count());
    assertEquals(2, buffers.freeCount());
    for (int i = 0; i < IN_FLIGHT; i++) {
      outstanding.acquire();
    }
    for (int i = 0; i < IN_FLIGHT; i++) {
      outstanding.release();
    }
  }

  private long create(String name) throws Exception {
    byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer create = request(Protocol.CREATE, Protocol.ROOT, 16 + bytes.length + 1).putInt(0101).putInt(0100644).putInt(022).putInt(0).put(bytes);
    RecordingPort.Answer answer = answer(create);
    assertEquals(0, answer.error());
    assertEquals(Protocol.ENTRY_OUT_BYTES + Protocol.OPEN_OUT_BYTES, answer.body().capacity());
    return answer.body().getLong(0);
  }

  @Test
  void shouldNegotiateTheVersionAndTheFlagsThatBothHave() throws Exception {
    ByteBuffer init = request(Protocol.INIT, 0, 64).putInt(7).putInt(99).putInt(131072).putInt(-1).putInt(-1);
    ByteBuffer out = answer(init).body();
    assertEquals(Protocol.INIT_OUT_BYTES, out.capacity());
    assertEquals(7, out.getInt(0));
    assertEquals(Protocol.MINOR_MAX, out.getInt(4));
    assertEquals(131072, out.getInt(8));
    assertEquals(TRANSFER, out.getInt(20));
    assertEquals(TRANSFER / LinuxCalls.pageBytes(), out.getShort(28));
    Negotiation agreed = handler.negotiated().getNow(null);
    assertTrue(agreed.has(Protocol.HANDLE_KILLPRIV_V2) && agreed.has(Protocol.ATOMIC_O_TRUNC) && agreed.has(Protocol.DIRECT_IO_ALLOW_MMAP));
    assertFalse(agreed.has(Protocol.WRITEBACK_CACHE), "only when asked");
    assertEquals(-5, answer(init).error(), "a second time");
    assertNothingLeft();
  }

  @Test
  void shouldTellANewerMajorVersionWhichOneIsSpoken() throws Exception {
    assertEquals(7, answer(request(Protocol.INIT, 0, 64).putInt(8).putInt(0)).body().getInt(0));
    assertFalse(handler.negotiated().isDone());
    assertEquals(0, answer(request(Protocol.INIT, 0, 16).putInt(7).putInt(31).putInt(0).putInt(0)).error());
    assertEquals(31, handler.negotiated().join().minor());
    assertEquals(32 * LinuxCalls.pageBytes(), handler.negotiated().join().transferBytes(), "without FUSE_MAX_PAGES");
  }

  @Test
  void shouldRefuseAnOlderKernel() throws Exception {
    assertEquals(-71, answer(request(Protocol.INIT, 0, 64).putInt(7).putInt(30)).error());
    Exception refused = assertThrows(Exception.class, () -> handler.negotiated().join());
    assertTrue(refused.getCause().getMessage().contains("the kernel speaks FUSE 7.30, 7.31 (Linux 5.4) or later"), refused.toString());
  }

  @Test
  void shouldWriteAndReadWithoutCopyingWhatIsWritten() throws Exception {
    long file = create("a");
    byte[] text = "some bytes".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer write = request(Protocol.WRITE, file, Protocol.WRITE_IN_BYTES + text.length).putLong(file).putLong(100).putInt(text.length).putInt(0)
        .putLong(0).putInt(2).putInt(0).put(text);
    assertEquals(text.length, answer(write).body().getInt());
    ByteBuffer read = request(Protocol.READ, file, 40).putLong(file).putLong(98).putInt(4096).putInt(0).putLong(0).putInt(0).putInt(0);
    RecordingPort.Answer answer = answer(read);
    byte[] got = new byte[answer.body().capacity()];
    answer.body().get(got);
    assertEquals("\0\0some bytes", new String(got, StandardCharsets.US_ASCII));
    assertNothingLeft();
  }

  @Test
  void shouldGiveTheFileSystemTheBytesThatAreWrittenAtTheBeginOfAPage() throws Exception {
    List<FuseReply.Count> replies = new ArrayList<>();
    List<MemorySegment> written = new ArrayList<>();
    serve(new FuseFileSystem() {
      @Override
      public void write(long inode, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
          FuseReply.Count reply) {
        written.add(data);
        replies.add(reply);
      }
    });
    ByteBuffer write = request(Protocol.WRITE, 2, Protocol.WRITE_IN_BYTES + 3).putLong(1).putLong(0).putInt(3).putInt(0).putLong(0).putInt(2).putInt(0);
    write.put(new byte[] {1, 2, 3});
    assertTrue(handle(write.array()), "its buffer is kept until the answer");
    assertEquals(0, written.getFirst().address() % 4096);
    assertEquals(1, buffers.freeCount());
    assertArrayEquals(new byte[] {1, 2, 3}, written.getFirst().toArray(ValueLayout.JAVA_BYTE));
    Thread.ofPlatform().start(() -> replies.getFirst().count(3)).join();
    assertEquals(3, port.only().body().getInt());
    assertThrows(IllegalStateException.class, () -> replies.getFirst().count(3), "a second answer");
    assertEquals(0, port.answers().size());
    assertNothingLeft();
  }

  @Test
  void shouldAnswerEachRequestOnceWhereverItIsCutOff() throws Exception {
    long file = create("a");
    byte[] body = new byte[200];
    new Random(1).nextBytes(body);
    for (int opcode = 0; opcode < 60; opcode++) {
      if (opcode != Protocol.FORGET && opcode != Protocol.BATCH_FORGET && opcode != Protocol.INTERRUPT && opcode != Protocol.NOTIFY_REPLY) {
        for (int length = 0; length <= body.length; length++) {
          RecordingPort.Answer answer = answer(request(opcode, file, length).put(body, 0, length));
          assertTrue(answer.error() <= 0 && answer.error() > -512, () -> "error " + answer.error());
        }
      }
    }
    assertNothingLeft();
  }

  @Test
  void shouldSurviveWhateverTheDeviceGives() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] message = new byte[random.nextInt(300)];
      random.nextBytes(message);
      if (message.length >= 24 && random.nextInt(10) > 0) {
        ByteBuffer header = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
        header.putInt(message.length).putInt(random.nextInt(60)).putLong(i).putLong(random.nextInt(4));
      }
      handle(message);
      assertTrue(port.answers().size() <= 1, "seed " + seed);
      port.answers().clear();
      if (outstanding.waitingLocks() > 0) {
        outstanding.abort(5); // Garbage may lock, and then wait for itself.
        port.answers().clear();
      }
    }
    assertEquals(0, outstanding.count(), "seed " + seed);
  }

  @Test
  void shouldRefuseNamesThatCannotBe() throws Exception {
    assertEquals(-36, answer(named(Protocol.LOOKUP, Protocol.ROOT, "n".repeat(256))).error());
    assertEquals(-2, answer(named(Protocol.LOOKUP, Protocol.ROOT, "n".repeat(255))).error());
    assertEquals(-22, answer(named(Protocol.LOOKUP, Protocol.ROOT, "a/b")).error());
    assertEquals(-22, answer(named(Protocol.LOOKUP, Protocol.ROOT, "")).error());
    assertEquals(-5, answer(request(Protocol.LOOKUP, Protocol.ROOT, 3).put(new byte[] {'a', 'b', 'c'})).error(), "without an end");
  }

  @Test
  void shouldRefuseOffsetsAndSizesThatCannotBe() throws Exception {
    long file = create("a");
    assertEquals(-22, answer(request(Protocol.READ, file, 40).putLong(file).putLong(-1).putInt(10)).error());
    assertEquals(-22, answer(request(Protocol.READ, file, 40).putLong(file).putLong(0).putInt(TRANSFER + 1)).error());
    assertEquals(-22, answer(request(Protocol.READ, file, 40).putLong(file).putLong(0).putInt(-1)).error());
    assertEquals(-27, answer(request(Protocol.WRITE, file, 42).putLong(file).putLong(Long.MAX_VALUE - 1).putInt(2)).error());
    assertEquals(-5, answer(request(Protocol.WRITE, file, 42).putLong(file).putLong(0).putInt(3)).error(), "fewer bytes than it says");
    assertEquals(-27, answer(request(Protocol.FALLOCATE, file, 32).putLong(file).putLong(Long.MAX_VALUE).putLong(1)).error());
    assertEquals(-22, answer(request(Protocol.SETLK, file, 48).putLong(file).putLong(7).putLong(10).putLong(9).putInt(1)).error());
    assertNothingLeft();
  }

  @Test
  void shouldAnswerEioWhenTheFileSystemsAnswerCannotBe() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    serve(new FuseFileSystem() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        calls.incrementAndGet();
        reply.data(MemorySegment.ofArray(new byte[size + 1]));
      }

      @Override
      public void getattr(long inode, long handle, FuseReply.Attributes reply) {
        reply.attributes(null);
      }

      @Override
      public void unlink(long parent, byte[] name, FuseReply.Done reply) {
        reply.fail(512);
      }
    });
    assertEquals(-5, answer(request(Protocol.READ, 2, 40).putLong(1).putLong(0).putInt(10)).error());
    assertEquals(-5, answer(request(Protocol.GETATTR, 2, 16)).error());
    assertEquals(-5, answer(named(Protocol.UNLINK, 1, "a")).error());
    assertEquals(3, handler.failures());
    assertEquals(1, calls.get());
    assertNothingLeft();
  }

  @Test
  void shouldAnswerEioWhenTheKernelRefusesAnAnswer() throws Exception {
    port.say(LinuxCalls.EINVAL);
    handle(request(Protocol.GETATTR, Protocol.ROOT, 16).array());
    assertEquals(List.of(0, -5), port.answers().stream().map(RecordingPort.Answer::error).toList());
    assertNothingLeft();
  }

  @Test
  void shouldTakeBackWhatTheKernelDidNotHear() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    serve(memory);
    long file = create("a");
    port.say(LinuxCalls.ENOENT);
    handle(named(Protocol.LOOKUP, Protocol.ROOT, "a").array());
    handle(request(Protocol.OPEN, file, 8).array());
    assertEquals(1, memory.find("a").lookups);
    assertEquals(1, memory.find("a").opens);
    assertNothingLeft();
  }

  @Test
  void shouldInterruptARequestThatWaits() throws Exception {
    List<FuseReply.Done> replies = new ArrayList<>();
    serve(new FuseFileSystem() {
      @Override
      public void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
        replies.add(reply);
        reply.onInterrupt(() -> reply.fail(4));
      }
    });
    assertFalse(handle(request(Protocol.FSYNC, 2, 16).array()), "it needs no buffer while it waits");
    ByteBuffer interrupt = request(Protocol.INTERRUPT, 0, 8).putLong(UNIQUE).putLong(8, UNIQUE | 1);
    handle(interrupt.array());
    assertEquals(-4, port.only().error());
    handle(interrupt.array());
    assertEquals(0, port.answers().size(), "it was answered");
    assertNothingLeft();
  }

  /** Each thread has a descriptor of its own, but interrupts come to any of them, also before the thread that has read the request has begun it. */
  @Test
  void shouldInterruptARequestThatAnotherThreadHasReadAndNotBegun() throws Exception {
    serve(new FuseFileSystem() {
      @Override
      public void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
        reply.onInterrupt(() -> reply.fail(4));
      }
    });
    for (int other = 1; other < 300; other++) {
      handle(request(Protocol.INTERRUPT, 0, 8).putLong(UNIQUE + 2 * other).array());
    }
    handle(request(Protocol.INTERRUPT, 0, 8).putLong(UNIQUE).array());
    assertEquals(0, port.answers().size());
    handle(request(Protocol.FSYNC, 2, 16).array());
    assertEquals(-4, port.only().error());
    assertNothingLeft();
  }

  @Test
  void shouldInterruptAtOnceWhatWasInterruptedBefore() throws Exception {
    List<FuseReply.Done> replies = new ArrayList<>();
    serve(new FuseFileSystem() {
      @Override
      public void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
        replies.add(reply);
      }
    });
    handle(request(Protocol.FSYNC, 2, 16).array());
    handle(request(Protocol.INTERRUPT, 0, 8).putLong(UNIQUE).array());
    assertEquals(0, port.answers().size());
    replies.getFirst().onInterrupt(() -> replies.getFirst().fail(4));
    assertEquals(-4, port.only().error());
  }

  @Test
  void shouldAnswerWhatIsOutstandingWhenItEndsAndDropWhatComesLater() throws Exception {
    List<FuseReply.Data> replies = new ArrayList<>();
    serve(new FuseFileSystem() {
      @Override
      public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
        replies.add(reply);
        reply.buffer().fill((byte) 7);
      }
    });
    assertTrue(handle(request(Protocol.READ, 2, 40).putLong(1).putLong(0).putInt(10).array()), "an answer is made in its buffer");
    outstanding.abort(5);
    assertEquals(-5, port.only().error());
    replies.getFirst().data(MemorySegment.ofArray(new byte[10]));
    assertEquals(0, port.answers().size());
    assertEquals(0, outstanding.count());
  }

  @Test
  void shouldListADirectoryInPartsWithAttributesWhereTheyAreWanted() throws Exception {
    for (int i = 0; i < 20; i++) {
      create("file-" + i);
    }
    List<String> names = new ArrayList<>();
    long offset = 0;
    while (true) {
      ByteBuffer body = answer(request(Protocol.READDIRPLUS, Protocol.ROOT, 40).putLong(1).putLong(offset).putInt(1024)).body();
      if (body.capacity() == 0) {
        break;
      }
      assertTrue(body.capacity() <= 1024);
      for (int at = 0; at < body.capacity();) {
        int length = body.getInt(at + 144);
        byte[] name = new byte[length];
        body.get(at + 152, name);
        names.add(new String(name, StandardCharsets.ISO_8859_1));
        assertEquals(length <= 2 ? 0 : body.getLong(at + 128), body.getLong(at), "dots are not looked up");
        offset = body.getLong(at + 136);
        at += 152 + length + 7 & -8;
      }
    }
    assertEquals(22, names.size());
    assertEquals(List.of(".", "..", "file-0"), names.subList(0, 3));
    assertNothingLeft();
  }

  @Test
  void shouldLetLocksWaitBesideTheRequestsInFlightUpToALimit() throws Exception {
    long file = create("a");
    ByteBuffer lock = request(Protocol.SETLK, file, 48).putLong(file).putLong(1).putLong(0).putLong(9).putInt(1).putInt(77).putInt(0);
    assertEquals(0, answer(lock).error());
    for (int owner = 2; owner <= 3; owner++) {
      handle(waiting(file, owner).array());
    }
    assertEquals(0, port.answers().size());
    assertEquals(2, outstanding.waitingLocks());
    handle(waiting(file, 4).array());
    assertEquals(-37, port.only().error());
    ByteBuffer question = request(Protocol.GETLK, file, 48).putLong(file).putLong(9).putLong(5).putLong(5).putInt(0).putInt(78).putInt(0);
    ByteBuffer held = answer(question).body();
    assertEquals(List.of(0L, 9L), List.of(held.getLong(0), held.getLong(8)));
    assertEquals(List.of(1, 77), List.of(held.getInt(16), held.getInt(20)));
    lock.putInt(Protocol.IN_HEADER_BYTES + 32, FuseLock.UNLOCK);
    handle(lock.array());
    assertEquals(2, port.answers().size(), "the unlock, and the first that waited");
    assertEquals(1, outstanding.waitingLocks());
    outstanding.abort(5);
    assertEquals(0, outstanding.waitingLocks());
    assertNothingLeft();
  }

  private static ByteBuffer waiting(long file, long owner) {
    ByteBuffer lock = request(Protocol.SETLKW, file, 48).putLong(file).putLong(owner).putLong(0).putLong(9).putInt(1).putInt(77).putInt(0);
    return lock.putLong(8, UNIQUE + owner);
  }

  @Test
  void shouldAnswerTheSizeOfAnAttributeOrItsValueOrThatItIsTooLong() throws Exception {
    long file = create("a");
    byte[] name = "user.n\0".getBytes(StandardCharsets.US_ASCII);
    assertEquals(0, answer(request(Protocol.SETXATTR, file, 8 + 7 + 3).putInt(3).putInt(0).put(name).put(new byte[] {1, 2, 3})).error());
    assertEquals(3, answer(request(Protocol.GETXATTR, file, 15).putInt(0).putInt(0).put(name)).body().getInt());
    assertEquals(3, answer(request(Protocol.GETXATTR, file, 15).putInt(3).putInt(0).put(name)).body().capacity());
    assertEquals(-34, answer(request(Protocol.GETXATTR, file, 15).putInt(2).putInt(0).put(name)).error());
    assertEquals(7, answer(request(Protocol.LISTXATTR, file, 8).putInt(100).putInt(0)).body().capacity());
    assertEquals(-7, answer(request(Protocol.SETXATTR, file, 15).putInt(1 << 20).putInt(0).put(name)).error());
  }

  @Test
  void shouldSendPiecesOfMemoryOneAfterTheOther() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(100).fill((byte) 5);
      serve(new FuseFileSystem() {
        @Override
        public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
          reply.data(memory.asSlice(0, 10), MemorySegment.ofArray(new byte[3]), memory.asSlice(50, 1));
        }
      });
      ByteBuffer body = answer(request(Protocol.READ, 2, 40).putLong(1).putLong(0).putInt(50)).body();
      assertEquals(14, body.capacity());
      assertEquals(List.of((byte) 5, (byte) 0, (byte) 5), List.of(body.get(9), body.get(10), body.get(13)));
    }
  }

  @Test
  void shouldForgetAsOftenAsItIsTold() throws Exception {
    MemoryFileSystem memory = new MemoryFileSystem(1 << 20);
    serve(memory);
    create("a");
    MemoryInode file = memory.find("a");
    assertNotNull(file);
    assertEquals(0, answer(named(Protocol.UNLINK, Protocol.ROOT, "a")).error());
    ByteBuffer release = request(Protocol.RELEASE, file.number, 24).putLong(file.number);
    assertEquals(0, answer(release).error());
    assertEquals(2, memory.inodeCount());
    handle(request(Protocol.BATCH_FORGET, 0, 8 + 16).putInt(1_000_000).putInt(0).putLong(file.number).putLong(1).array());
    assertEquals(0, port.answers().size());
    assertEquals(1, memory.inodeCount());
    assertNothingLeft();
  }
}
