package dev.weft.hca.memory;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.memory.CLibrary;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM in which memory is mapped, registered, read by a peer, deregistered, written to and unmapped, again and again. Argument: how often.
 * Its exit code is 0 if it has lived and no byte of later was read.
 */
final class UnmapMain {
  static final int LENGTH = 1 << 20;
  private static final byte BEFORE = 0x11;
  private static final byte AFTER = 0x66;
  private static final int READS = 8;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
  private static final MethodHandle MMAP = CLibrary.find("mmap", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
      ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  private static final MethodHandle MUNMAP = CLibrary.find("munmap",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

  private UnmapMain() {}

  /** Memory that nobody but {@link #unmap} gives back. */
  @SuppressWarnings("restricted") // mapped with this length
  static MemorySegment map() throws Throwable {
    long address = (long) MMAP.invokeExact(0L, (long) LENGTH, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
    return MemorySegment.ofAddress(address).reinterpret(LENGTH).fill(BEFORE);
  }

  static void unmap(MemorySegment memory) throws Throwable {
    int ignored = (int) MUNMAP.invokeExact(memory.address(), (long) LENGTH);
  }

  static boolean hasBytesOfLater(MemorySegment memory) {
    for (long i = 0; i < LENGTH; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, i) == AFTER) {
        return true;
      }
    }
    return false;
  }

  static void fillLater(MemorySegment memory) {
    memory.fill(AFTER);
  }

  public static void main(String[] arguments) throws Throwable {
    int rounds = Integer.parseInt(arguments[0]);
    SplittableRandom random = new SplittableRandom(rounds);
    int failed = 0;
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"))) {
      Hca a = fabric.addNode("a").hca();
      Hca b = fabric.addNode("b").hca();
      ProtectionDomain pdA = a.allocPd();
      ProtectionDomain pdB = b.allocPd();
      MemorySegment into = map();
      MemoryRegion target = a.regMr(pdA, into, Access.ALL);
      CompletionQueue cqA = a.createCq(64, ReceiveContext.POLLING, null);
      CompletionQueue cqB = b.createCq(64, ReceiveContext.POLLING, null);
      for (int round = 0; round < rounds; round++) {
        QueuePair from = a.createQp(pdA, QpInitAttr.of(cqA, 16));
        QueuePair to = b.createQp(pdB, QpInitAttr.of(cqB, 16));
        connect(from, to);
        MemorySegment memory = map();
        MemoryRegion region = b.regMr(pdB, memory, Access.ALL);
        for (int i = 0; i < READS; i++) {
          from.postSend(new WorkRequest().read(region.addr(), region.rkey()).sge(target, 0, LENGTH).signaled());
        }
        LockSupport.parkNanos(random.nextInt(1_000_000));
        b.deregMr(region);
        fillLater(memory);
        unmap(memory);
        WorkCompletion wc = new WorkCompletion();
        for (int done = 0; done < READS; ) {
          if (cqA.poll(wc)) {
            done++;
            failed += wc.isSuccess() ? 0 : 1;
          }
        }
        if (hasBytesOfLater(into)) {
          System.out.println("round " + round + ": bytes of later were read");
          Runtime.getRuntime().halt(3);
        }
        a.destroyQp(from);
        b.destroyQp(to);
      }
    }
    System.out.println(failed + " of " + rounds * READS + " failed");
    System.exit(failed > 0 && failed < rounds * READS ? 0 : 4);
  }

  private static void connect(QueuePair one, QueuePair other) {
    one.modify(QpAttr.init(Access.ALL));
    other.modify(QpAttr.init(Access.ALL));
    one.modify(QpAttr.rtr().destLid(other.hca().lid()).destQpNum(other.qpNum()).rqPsn(8).pathMtu(4096));
    other.modify(QpAttr.rtr().destLid(one.hca().lid()).destQpNum(one.qpNum()).rqPsn(7).pathMtu(4096));
    one.modify(QpAttr.rts(7).timeout(8));
    other.modify(QpAttr.rts(8));
  }

  /** Not to be seen as a deadline of the test: what it waits for at most before it is ended by force. */
  static final long PATIENCE_SECONDS = TimeUnit.MINUTES.toSeconds(2);
}
