package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pager.netvm.DeviceBackingStore;
import dev.weft.pager.server.MemoryServer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A host whose pages are kept by memory servers, over the same HCA through which peers write to them. */
@Tag("simulation")
@Timeout(180)
class PagerVmTest {
  private static final int PAGE = 4096;
  private static final int PAGES = 256;
  private static final int FRAMES = 16;
  private static final long SEED = 20261121;

  @Test
  void shouldTransferToPagesThatTheMemoryServersKeep() throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      List<String> servers = List.of("s0", "s1");
      for (String name : servers) {
        MemoryServer.start(fabric.addNode(name), MemoryServer.SERVICE, SimulatedPager.serverSettings("memory = 8 MiB"));
      }
      Node host = fabric.addNode("host");
      PagerDevice device = PagerLocalTest.open(fabric, host, servers);
      try (HostVm vm = new HostVm(new NetVmSettings(PAGE, FRAMES, PAGES, 1, 16, 1 << 28), new DeviceBackingStore(device, PAGE),
          VmProcessor.DIRECT)) {
        Side far = new Side(host.hca());
        Side near = new Side(fabric.addNode("peer").hca());
        host.hca().attachVm(vm);
        AddressSpace space = vm.createSpace();
        MemoryRegion unpinned = host.hca().regMr(far.pd, space.map(space.base(), (long) PAGES * PAGE), Access.ALL | Access.ON_DEMAND);
        near.connect(far);
        far.connect(near);
        Random random = new Random(SEED);
        byte[] model = new byte[PAGES * PAGE];
        for (int i = 0; i < 1000; i++) {
          int length = 1 + random.nextInt(8000);
          int at = random.nextInt(model.length - length);
          byte[] bytes = new byte[length];
          random.nextBytes(bytes);
          System.arraycopy(bytes, 0, model, at, length);
          MemorySegment.copy(bytes, 0, near.memory, ValueLayout.JAVA_BYTE, 0, length);
          near.transfer(new WorkRequest().write(unpinned.addr() + at, unpinned.rkey()).sge(near.mr, 0, length));
        }
        near.transfer(new WorkRequest().read(unpinned.addr(), unpinned.rkey()).sge(near.mr, 0, model.length));
        assertArrayEquals(model, near.memory.toArray(ValueLayout.JAVA_BYTE), "seed " + SEED);
        byte[] local = new byte[model.length];
        space.read(space.base(), MemorySegment.ofArray(local));
        assertArrayEquals(model, local, "seed " + SEED);
        assertTrue(vm.snapshot().pageOuts() >= PAGES - FRAMES, () -> "the servers keep what does not fit: " + vm.snapshot());
        assertTrue(vm.snapshot().pageIns() > PAGES - FRAMES, () -> "and give it back: " + vm.snapshot());
        assertEquals(0, vm.snapshot().failures());
        assertEquals(0, near.hca.inspect().counters().rnrNaksReceived());
      }
      device.close();
    }
  }

  private static final class Side {
    final Hca hca;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory = Arena.ofAuto().allocate((long) PAGES * PAGE, PAGE);
    final MemoryRegion mr;

    Side(Hca hca) {
      this.hca = hca;
      pd = hca.allocPd();
      cq = hca.createCq(64, ReceiveContext.POLLING, null);
      qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
      mr = hca.regMr(pd, memory, Access.ALL);
    }

    void connect(Side peer) {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peer.qp.qpNum()).rqPsn(1).pathMtu(4096));
      qp.modify(QpAttr.rts(1));
    }

    void transfer(WorkRequest request) {
      qp.postSend(request.signaled());
      WorkCompletion wc = new WorkCompletion();
      while (!cq.poll(wc)) {
        Thread.onSpinWait();
      }
      assertEquals(WcStatus.SUCCESS, wc.status());
    }
  }
}
