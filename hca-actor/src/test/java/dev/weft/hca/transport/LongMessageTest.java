package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of 2^31 bytes, the longest there are. They lie in little memory that is mapped, or named, many times. */
@Tag("slow")
@Tag("simulation")
@Timeout(600)
class LongMessageTest {
  private static final int PIECE = 64 << 20;
  private static final int PIECES = 32;
  private static final long LONGEST = 1L << 31;

  private static Pair pair() {
    return new Pair(1, LinkFaults.NONE, new Pair.QpShape(8, 64, false), Access.ALL)
        .connect(1, 1, UnaryOperator.identity(), rtr -> rtr.pathMtu(32768), UnaryOperator.identity());
  }

  private static QueuePair wide(Pair.Side side) {
    QueuePair qp = side.hca.createQp(side.pd, new QpInitAttr(side.sendCq, side.recvCq, 8, 8, PIECES, PIECES, 0, false));
    qp.modify(QpAttr.init(Access.ALL));
    return qp;
  }

  private static void connect(QueuePair qp, Pair.Side peer, QueuePair peerQp) {
    qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peerQp.qpNum()).rqPsn(1).pathMtu(32768));
    qp.modify(QpAttr.rts(1));
  }

  /** The same {@link #PIECE} bytes, {@link #PIECES} times one behind the other. */
  private static MemorySegment mappedAgainAndAgain(Arena arena) throws Throwable {
    Linker linker = Linker.nativeLinker();
    ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
    ValueLayout.OfInt number = ValueLayout.JAVA_INT;
    MethodHandle mmap = linker.downcallHandle(linker.defaultLookup().find("mmap").orElseThrow(),
        FunctionDescriptor.of(word, word, word, number, number, number, word));
    MethodHandle munmap = linker.downcallHandle(linker.defaultLookup().find("munmap").orElseThrow(),
        FunctionDescriptor.of(number, word, word));
    MethodHandle memfd = linker.downcallHandle(linker.defaultLookup().find("memfd_create").orElseThrow(),
        FunctionDescriptor.of(number, ValueLayout.ADDRESS, number));
    MethodHandle truncate = linker.downcallHandle(linker.defaultLookup().find("ftruncate").orElseThrow(),
        FunctionDescriptor.of(number, number, word));
    MethodHandle close = linker.downcallHandle(linker.defaultLookup().find("close").orElseThrow(), FunctionDescriptor.of(number, number));
    int file = (int) memfd.invokeExact(arena.allocateFrom("long-message"), 0);
    assertTrue(file >= 0 && (int) truncate.invokeExact(file, (long) PIECE) == 0);
    long at = (long) mmap.invokeExact(0L, LONGEST, 0, 0x4022, -1, 0L); // PRIVATE, ANONYMOUS, NORESERVE: a place
    assertTrue(at != -1);
    for (int i = 0; i < PIECES; i++) {
      long piece = at + (long) i * PIECE;
      assertEquals(piece, (long) mmap.invokeExact(piece, (long) PIECE, 3, 0x11, file, 0L)); // READ and WRITE; SHARED, FIXED
    }
    assertEquals(0, (int) close.invokeExact(file));
    return MemorySegment.ofAddress(at).reinterpret(LONGEST, arena, segment -> {
      try {
        int ignored = (int) munmap.invokeExact(at, LONGEST);
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    });
  }

  @Test
  void shouldSayHowLongAMessageMayBe() {
    try (Pair pair = new Pair()) {
      assertEquals(LONGEST, pair.a.hca.messageMaxBytes());
      assertEquals(LONGEST, pair.a.hca.device().queryPort(1).maxMessageBytes());
    }
  }

  @Test
  void shouldSendTheLongestMessageThereIs() {
    try (Pair pair = new Pair(); Arena arena = Arena.ofShared()) {
      QueuePair from = wide(pair.a);
      QueuePair to = wide(pair.b);
      connect(from, pair.b, to);
      connect(to, pair.a, from);
      MemoryRegion source = pair.a.hca.regMr(pair.a.pd, arena.allocate(PIECE, 4096), Access.ALL);
      MemoryRegion target = pair.b.hca.regMr(pair.b.pd, arena.allocate(PIECE, 4096), Access.ALL);
      source.segment().set(ValueLayout.JAVA_LONG, PIECE - 8, 0x0123456789abcdefL);
      WorkRequest wr = new WorkRequest().send();
      ReceiveRequest rr = new ReceiveRequest().receive(3);
      for (int i = 0; i < PIECES; i++) {
        wr.sge(source, 0, PIECE);
        rr.sge(target, 0, PIECE);
      }
      to.postReceive(rr);
      from.postSend(wr.signaled());
      pair.runUntil(() -> pair.a.sendCq.size() == 1);
      assertTrue(pair.a.oneSent().isSuccess());
      WorkCompletion got = pair.b.oneReceived();
      assertTrue(got.isSuccess(), got::toString);
      assertEquals(LONGEST, Integer.toUnsignedLong(got.byteLen()));
      assertEquals(-1, source.segment().mismatch(target.segment()));
      to.postReceive(rr);
      from.postSend(wr.send().sge(source, 0, 1).sge(source, 0, Integer.MAX_VALUE).sge(source, 0, 1).signaled());
      pair.run();
      assertEquals(WcStatus.LOC_LEN_ERR, pair.a.oneSent().status(), "one byte more");
    }
  }

  @Test
  void shouldWriteAndReadTheLongestMessageThereIs() throws Throwable {
    try (Pair pair = pair(); Arena arena = Arena.ofShared()) {
      MemorySegment near = mappedAgainAndAgain(arena);
      MemorySegment far = mappedAgainAndAgain(arena);
      MemoryRegion nearMr = pair.a.hca.regMr(pair.a.pd, near, Access.ALL);
      MemoryRegion farMr = pair.b.hca.regMr(pair.b.pd, far, Access.ALL);
      near.set(ValueLayout.JAVA_LONG, LONGEST - 8, 77);
      pair.a.send(pair.a.wr.write(farMr.addr(), farMr.rkey()).sge(nearMr, 0, Integer.MAX_VALUE)
          .sge(nearMr, Integer.MAX_VALUE, 1).signaled());
      pair.runUntil(() -> pair.a.sendCq.size() == 1);
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(-1, near.asSlice(0, PIECE).mismatch(far.asSlice(0, PIECE)));
      far.set(ValueLayout.JAVA_LONG, 8, 99);
      pair.a.send(pair.a.wr.read(farMr.addr(), farMr.rkey()).sge(nearMr, 0, Integer.MAX_VALUE)
          .sge(nearMr, Integer.MAX_VALUE, 1).signaled());
      pair.runUntil(() -> pair.a.sendCq.size() == 1);
      WorkCompletion read = pair.a.oneSent();
      assertTrue(read.isSuccess(), read::toString);
      assertEquals(LONGEST, Integer.toUnsignedLong(read.byteLen()));
      assertEquals(99, near.get(ValueLayout.JAVA_LONG, 8));
      assertEquals(-1, near.asSlice(0, PIECE).mismatch(far.asSlice(0, PIECE)));
      pair.a.hca.deregMr(nearMr);
      pair.b.hca.deregMr(farMr);
    }
  }
}
