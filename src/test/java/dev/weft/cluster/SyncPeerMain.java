package dev.weft.cluster;

import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.FileBackingStore;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.CountingSemaphore;
import dev.weft.hca.sync.McsLock;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncHome.Kind;
import dev.weft.hca.sync.SyncMember;
import dev.weft.hca.sync.SyncService;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A JVM with one node that does what its standard input says, and prints how that ended: offers or joins locks, enters them, and offers
 * {@code memory} that is not pinned, whose writes may notify counters. Arguments: media driver directory, seed (or {@value #NO_SEED} to be
 * the first JVM), node name.
 */
public final class SyncPeerMain {
  static final String LOCKS = "locks";
  static final String NO_SEED = "-";
  static final Kind[] KINDS = {Kind.MUTEX, Kind.SEMAPHORE};
  static final int PAGES = 64;
  private static final int FRAMES = 8;
  private static final int PAGE = 4096;
  private static final long PATIENCE_NS = 100_000_000_000L;

  private final Node node;
  private final Path directory;
  private volatile SyncClient locks;
  private McsLock lock;
  private CountingSemaphore semaphore;

  private SyncPeerMain(Node node, Path directory) {
    this.node = node;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    ClusterFabric fabric = PeerMain.join(Path.of(arguments[0]), arguments[1].equals(NO_SEED) ? List.of() : List.of(arguments[1]));
    SyncPeerMain peer = new SyncPeerMain(fabric.addNode(arguments[2]), Path.of(arguments[0]).getParent());
    System.out.println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("address")) {
        System.out.println("address " + fabric.address());
      } else {
        peer.run(line.split(" "));
      }
    }
    fabric.close();
    System.exit(0);
  }

  private void run(String[] words) throws Exception {
    switch (words[0]) {
      case "offer" -> {
        SyncService.offer(node, LOCKS, 8, KINDS);
        System.out.println("offered");
      }
      case "join" -> SyncMember.join(node, words[1], LOCKS, KINDS.length, ReceiveContext.ISR, new SyncMember.Observer() {
        @Override
        public void onJoined(SyncClient client) {
          locks = client;
          lock = new McsLock(client, 0);
          semaphore = new CountingSemaphore(client, 1);
          System.out.println("joined");
        }

        @Override
        public void onLost(String reason) {
          System.out.println("lost: " + reason);
        }
      });
      case "acquire" -> locks.run(() -> lock.acquire(() -> System.out.println("queued"), done -> System.out.println("acquire " + done)));
      case "release" -> locks.run(() -> lock.release(done -> System.out.println("release " + done)));
      case "down" -> locks.run(() -> semaphore.down(done -> System.out.println("down " + done)));
      case "up" -> locks.run(() -> semaphore.up(done -> System.out.println("up " + done)));
      case "memory" -> offerMemory();
      case "notify" -> {
        new RemoteMemory(node, words[1], RemoteMemory.PATIENT_TIMEOUT).notify(0);
        System.out.println("notified");
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private void offerMemory() throws Exception {
    Hca hca = node.hca();
    HostVm vm = new HostVm(new NetVmSettings(PAGE, FRAMES, PAGES, 1, 16, 64 << 20),
        new FileBackingStore(directory.resolve("pages-" + node.name()), PAGE), VmProcessor.DIRECT);
    hca.attachVm(vm);
    AddressSpace space = vm.createSpace();
    ProtectionDomain pd = hca.allocPd();
    MemoryRegion mr = hca.regMr(pd, space.map(space.base(), (long) PAGES * PAGE), Access.ALL | Access.ON_DEMAND);
    CompletionQueue cq = hca.createCq(64, ReceiveContext.POLLING, null);
    EventCounters counters = new EventCounters(1, 4, hca.contexts());
    node.cm().listen("memory", request -> {
      QueuePair qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
      hca.useEventCounters(qp, counters);
      request.accept(qp, ConnectionOptions.DEFAULT, ByteBuffer.allocate(12).putLong(mr.addr()).putInt(mr.rkey()).array(), new Counted.Quiet());
    });
    Thread.ofPlatform().daemon().start(() -> {
      try {
        for (long value = 1; ; value++) {
          EventCounters.Awaited awaited = counters.await(0, value, PATIENCE_NS);
          System.out.println(awaited + " " + value);
          if (awaited != EventCounters.Awaited.REACHED) {
            return;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    System.out.println("offered");
  }
}
