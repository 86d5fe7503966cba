package dev.weft.hca.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.DeviceAttr;
import dev.weft.hca.verbs.FlushType;
import dev.weft.hca.verbs.Gid;
import dev.weft.hca.verbs.GidEntry;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaDevice;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.PortAttr;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.Refusal;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The queries of rdma-core's tests/test_device.py, GIDs of test_addr.py, Q_Keys of test_qp.py; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class RdmaCoreDeviceTest {
  private final Pair pair = new Pair();
  private final HcaDevice device = pair.a.hca.device();

  @AfterEach
  void close() {
    pair.close();
  }

  private static void refused(Errno errno, org.junit.jupiter.api.function.Executable verb) {
    Refusal.refused(errno, verb);
  }

  @Test
  void testDevList() {
    assertEquals(List.of("a", "b"), pair.fabric.directory().nodes().stream().map(NodeEntry::name).toList());
    assertEquals(List.of(pair.a.hca.lid(), pair.b.hca.lid()), pair.fabric.directory().nodes().stream().map(NodeEntry::lid).toList());
  }

  @Test
  void testQueryDeviceEx() {
    DeviceAttr attr = device.query();
    assertNotEquals(0, attr.nodeGuid());
    assertNotEquals(attr.nodeGuid(), pair.b.hca.device().query().nodeGuid());
    assertTrue(attr.maxMrBytes() > attr.pageBytes() && attr.maxMr() > 0 && attr.maxSrq() > 0 && attr.maxPkeys() > 0);
    assertEquals(FlushType.GLOBAL, attr.flushTypes());
  }

  /** The limits are those that the verbs keep to: what they say is granted, one more is not. */
  @Test
  void shouldKeepToTheLimitsThatItSays() {
    try (Pair small = Pair.with("weft.hca { queue-pairs-max = 2, sge-max = 5, completions-max = 300, work-requests-max = 64 }")) {
      Hca hca = small.a.hca;
      DeviceAttr attr = hca.device().query();
      CompletionQueue cq = hca.createCq(attr.maxCqe(), ReceiveContext.POLLING, null);
      refused(Errno.EINVAL, () -> hca.createCq(attr.maxCqe() + 1, ReceiveContext.POLLING, null));
      int wr = attr.maxQpWr();
      int sge = attr.maxSge();
      refused(Errno.EINVAL, () -> hca.createQp(small.a.pd, new QpInitAttr(cq, cq, wr + 1, wr, sge, sge, 0, false)));
      refused(Errno.EINVAL, () -> hca.createQp(small.a.pd, new QpInitAttr(cq, cq, wr, wr, sge + 1, sge, 0, false)));
      for (int existing = hca.inspect().queuePairs().size(); existing < attr.maxQp(); existing++) {
        hca.createQp(small.a.pd, new QpInitAttr(cq, cq, wr, wr, sge, sge, attr.maxInlineBytes(), false));
      }
      refused(Errno.ENOMEM, () -> hca.createQp(small.a.pd, new QpInitAttr(cq, cq, wr, wr, sge, sge, 0, false)));
    }
  }

  @Test
  void testPhysPortCntEx() {
    DeviceAttr attr = device.query();
    assertEquals(1, attr.physPortCount());
    assertEquals(attr.physPortCount(), attr.physPortCountEx());
    for (int port = 1; port <= attr.physPortCount(); port++) {
      assertEquals(pair.a.hca.lid(), device.queryPort(port).lid());
    }
  }

  @Test
  void shouldTellTheStateOfThePort() {
    PortAttr attr = device.queryPort(1);
    assertTrue(attr.active());
    assertEquals(List.of(pair.a.hca.lid(), pair.a.hca.portMtuBytes()), List.of(attr.lid(), attr.activeMtuBytes()));
    assertTrue(attr.maxMessageBytes() > 0x1000 && attr.activeMtuBytes() <= attr.maxMtuBytes());
    pair.fabric.loseNode("a");
    pair.run();
    assertEquals(pair.a.hca.inspect().linkUp(), device.queryPort(1).active());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 7, 11, 0, -1})
  void testQueryPortBadFlow(int port) {
    refused(Errno.EINVAL, () -> device.queryPort(port));
  }

  @Test
  void testQueryPortSpeed() {
    assertEquals(10_000, device.queryPortSpeed(1));
    refused(Errno.EINVAL, () -> device.queryPortSpeed(2));
    Hca bare = new ControlVerbs("bare", pair.a.hca.settings(), pair.a.node.context(), 1, () -> true);
    refused(Errno.EOPNOTSUPP, () -> bare.device().queryPortSpeed(1));
  }

  @Test
  void testQueryPkey() {
    assertEquals(Packet.DEFAULT_PKEY, device.queryPkey(1, 0));
    refused(Errno.EINVAL, () -> device.queryPkey(1, device.queryPort(1).pkeyTableLength()));
    refused(Errno.EINVAL, () -> device.queryPkey(2, 0));
  }

  @Test
  void testGetPkeyIndex() {
    assertEquals(0, device.pkeyIndex(1, device.queryPkey(1, 0)));
    refused(Errno.ENODATA, () -> device.pkeyIndex(1, 0x1234));
  }

  @Test
  void testQueryGid() {
    assertEquals("::ffff:10.87.0.1", device.queryGid(1, 0).toString());
    assertEquals("::ffff:10.87.0.2", pair.b.hca.device().queryGid(1, 0).toString());
    refused(Errno.EINVAL, () -> device.queryGid(1, device.queryPort(1).gidTableLength()));
  }

  @Test
  void testQueryGidTable() {
    assertEquals(List.of(new GidEntry(Gid.ofLid(pair.a.hca.lid()), 0, 1)), device.queryGidTable(device.queryPort(1).gidTableLength()));
  }

  @Test
  void testQueryGidTableBadFlow() {
    refused(Errno.EINVAL, () -> device.queryGidTable(0));
  }

  @Test
  void testQueryGidEx() {
    GidEntry entry = device.queryGidEx(1, 0);
    assertEquals(device.queryGid(1, 0), entry.gid());
    assertEquals(List.of(0, 1), List.of(entry.index(), entry.port()));
  }

  /** A port without a LID has no GID. */
  @Test
  void testQueryGidExBadFlow() {
    Hca bare = new ControlVerbs("bare", pair.a.hca.settings(), pair.a.node.context(), 1, () -> true);
    refused(Errno.ENODATA, () -> bare.device().queryGidEx(1, 0));
    assertEquals(List.of(), bare.device().queryGidTable(0));
    assertEquals(0, bare.device().query().nodeGuid());
  }

  @ParameterizedTest
  @CsvSource({"1", "255", "256", "49151", "49152", "65534"})
  void shouldMapLidsToGidsAndBack(int lid) {
    assertEquals(lid, Gid.ofLid(lid).lid());
  }

  /** The datagram goes to the port that has the GID. */
  @Test
  void testCreateAhRoce() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      AddressHandle handle = p.a.hca.createAh(p.a.pd, p.b.hca.device().queryGid(1, 0), 3);
      assertEquals(List.of(p.b.hca.lid(), 3), List.of(handle.destLid(), handle.serviceLevel()));
      p.a.fill(1);
      p.post(5, 0, 40 + 100);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 100).to(handle, p.qb.qpNum(), TypedPair.QKEY));
      p.run();
      assertEquals(5, p.b.oneReceived().wrId());
      p.pair.assertSame(0, 40, 100);
    }
    for (Gid foreign : List.of(new Gid(0xfe80L << 48, 1), new Gid(0, 0xffff_0a00_0001L), Gid.ofLid(0))) {
      VerbsException e = assertThrows(VerbsException.class, () -> pair.a.hca.createAh(pair.a.pd, foreign, 0));
      assertEquals(Errno.EINVAL, e.errno(), foreign.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"0x80000000,true,true", "0x80000000,false,false", "0x7fffffff,false,true"})
  void testCreateUdQpWithPrivilegedQkey(String qkey, boolean privileged, boolean granted) {
    try (Pair p = Pair.with("weft.hca.privileged-qkeys = " + privileged)) {
      QueuePair qp = TypedPair.create(QpType.UD, p.a);
      int key = Long.decode(qkey).intValue();
      if (granted) {
        qp.modify(QpAttr.initUd(key));
        assertEquals(key, qp.query().qkey());
      } else {
        refused(Errno.EPERM, () -> qp.modify(QpAttr.initUd(key)));
        assertEquals(QpState.RESET, qp.state());
      }
    }
  }
}
