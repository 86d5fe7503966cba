package dev.weft.cluster;

import dev.weft.fabric.memory.CLibrary;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM that gives each connection one MiB of its own, and a moment later deregisters it, writes to it, and frees it while the peer is
 * reading. The first byte of the peer's private data says what kind of memory. Arguments as of {@link PeerMain}.
 */
public final class UnmapPeerMain {
  static final int LENGTH = 1 << 20;
  static final byte BEFORE = 0x11;
  static final byte AFTER = 0x66;
  /** Memory that other JVMs map, or that they read by a system call. */
  static final byte SHARED = 1;
  static final byte PRIVATE = 2;
  private static final long DELAY_MAX_NS = 3_000_000;
  private static final MethodHandle MMAP = CLibrary.find("mmap", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
      ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
  private static final MethodHandle MUNMAP = CLibrary.find("munmap",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

  private final Node node;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final SplittableRandom random = new SplittableRandom(1);

  private UnmapPeerMain(Node node) {
    this.node = node;
    pd = node.hca().allocPd();
    cq = node.hca().createCq(64, ReceiveContext.POLLING, null);
  }

  public static void main(String[] arguments) throws Exception {
    ClusterFabric fabric = PeerMain.join(Path.of(arguments[0]), List.of(arguments[1]));
    UnmapPeerMain peer = new UnmapPeerMain(fabric.addNode(arguments[2]));
    peer.node.cm().listen("memory", peer::onRequest);
    System.out.println("ready");
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    fabric.close();
    System.exit(0);
  }

  /** Registering takes long: not on the hardware thread. */
  private void onRequest(ConnectionRequest request) {
    Thread.ofPlatform().daemon().start(() -> serve(request));
  }

  private void serve(ConnectionRequest request) {
    Hca hca = node.hca();
    Arena arena = Arena.ofShared();
    boolean isShared = request.privateData()[0] == SHARED;
    MemorySegment memory = (isShared ? hca.allocMemory(arena, LENGTH) : map()).fill(BEFORE);
    MemoryRegion mr = hca.regMr(pd, memory, Access.ALL);
    QueuePair qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
    byte[] where = ByteBuffer.allocate(12).putLong(mr.addr()).putInt(mr.rkey()).array();
    long delayNs = random.nextLong(DELAY_MAX_NS);
    request.accept(qp, ConnectionOptions.DEFAULT, where, new ConnectionObserver() {
      @Override
      public void onEstablished(Connection connection, byte[] privateData) {
        Thread.ofPlatform().daemon().start(() -> {
          LockSupport.parkNanos(delayNs);
          hca.deregMr(mr);
          memory.fill(AFTER);
          if (!isShared) {
            unmap(memory);
          }
          arena.close();
        });
      }

      @Override
      public void onRejected(RejectReason reason, byte[] privateData) {}

      @Override
      public void onDisconnected(Connection connection, boolean nodeLost) {
        hca.destroyQp(qp);
      }
    });
  }

  @SuppressWarnings("restricted") // mapped with this length
  private static MemorySegment map() {
    try {
      return MemorySegment.ofAddress((long) MMAP.invokeExact(0L, (long) LENGTH, 3, 0x22, -1, 0L)).reinterpret(LENGTH);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void unmap(MemorySegment memory) {
    try {
      int ignored = (int) MUNMAP.invokeExact(memory.address(), (long) LENGTH);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
