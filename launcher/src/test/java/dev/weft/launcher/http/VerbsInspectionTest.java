package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code /weft/nodes/{name}} shows of the newer verbs. */
@Tag("actor")
@Timeout(180)
class VerbsInspectionTest {
  private static final int QKEY = 0x00c0ffee;
  private static final int GROUP = 0xc123;

  private static Bed bed;
  private static Hca hca;

  @BeforeAll
  static void startFabric() throws Exception {
    bed = new Bed();
    hca = bed.a.node.hca();
  }

  @AfterAll
  static void stopFabric() {
    bed.close();
  }

  private static JsonNode only(String list) throws Exception {
    JsonNode items = bed.json("/weft/nodes/a/" + list).path("items");
    assertEquals(1, items.size(), items::toString);
    return items.get(0);
  }

  private static QueuePair qp(QpType type) {
    return hca.createQp(bed.a.pd, new QpInitAttr(bed.a.cq, bed.a.cq, 8, 8, 1, 1, 0, false).withType(type));
  }

  @Test
  void shouldShowASharedReceiveQueueWithItsLimit() throws Exception {
    SharedReceiveQueue srq = hca.createSrq(bed.a.pd, new SrqAttr(16, 1, 0));
    for (int i = 0; i < 5; i++) {
      srq.postReceive(new ReceiveRequest().receive(i));
    }
    srq.arm(3);
    QueuePair qp = hca.createQp(bed.a.pd, new QpInitAttr(bed.a.cq, bed.a.cq, 8, 0, 1, 1, 0, false).withSrq(srq));
    JsonNode seen = only("srqs");
    assertEquals(srq.number(), seen.path("number").asInt());
    assertEquals(5, seen.path("size").asInt());
    assertEquals(16, seen.path("capacity").asInt());
    assertEquals(3, seen.path("limit").asInt());
    assertEquals("true", seen.path("armed").asText());
    assertEquals(1, seen.path("queuePairs").asInt());
    assertEquals(srq.number(), bed.json("/weft/nodes/a/qps/" + qp.qpNum()).path("sharedReceiveQueue").asInt());
    hca.destroyQp(qp);
    hca.destroySrq(srq);
  }

  @Test
  void shouldShowWhatAMemoryWindowOpensButNotItsKey() throws Exception {
    MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    MemoryRegion region = hca.regMr(bed.a.pd, memory, Access.ALL | Access.MW_BIND);
    MemoryWindow window = hca.allocMw(bed.a.pd, MemoryWindow.Type.TYPE_2);
    assertEquals("{\"type\":\"TYPE_2\",\"bound\":false,\"addr\":0,\"length\":0,\"access\":\"\",\"regionAddr\":0,\"queuePair\":0}",
        only("mws").toString());
    int key = window.nextRkey();
    bed.a.qp.postSend(new WorkRequest().bindMw(
        new MwBind(window, key, region, region.addr() + 512, 1024, Access.REMOTE_READ | Access.REMOTE_WRITE)).wrId(9).signaled());
    WorkCompletion wc = new WorkCompletion();
    for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); !bed.a.cq.poll(wc) && System.nanoTime() < end;) {
      Thread.onSpinWait();
    }
    JsonNode seen = only("mws");
    assertEquals("true", seen.path("bound").asText(), wc::toString);
    assertEquals(region.addr() + 512, seen.path("addr").asLong());
    assertEquals(1024, seen.path("length").asLong());
    assertEquals("REMOTE_WRITE|REMOTE_READ", seen.path("access").asText());
    assertEquals(region.addr(), seen.path("regionAddr").asLong());
    assertEquals(bed.a.qp.qpNum(), seen.path("queuePair").asInt());
    for (String path : List.of("/weft/nodes/a/mws", "/weft/nodes/a/hca", "/weft/nodes/a/mrs")) {
      String body = bed.get(path).body();
      assertFalse(body.contains(":" + key) || body.contains(":" + Integer.toUnsignedLong(key)), body);
    }
    hca.deallocMw(window);
    hca.deregMr(region);
  }

  @Test
  void shouldShowACompletionCounter() throws Exception {
    QueuePair qp = qp(QpType.RC);
    CompletionCounter counter = hca.createCounter();
    hca.attachCounter(qp, counter, Set.of(CompletionCounter.Operation.RECV, CompletionCounter.Operation.REMOTE_RDMA_WRITE));
    counter.set(7, 2);
    assertEquals("{\"number\":" + counter.number() + ",\"count\":7,\"errors\":2,\"attached\":2}", only("counters").toString());
    hca.destroyQp(qp);
    hca.destroyCounter(counter);
    assertEquals(0, bed.json("/weft/nodes/a/counters").path("total").asInt());
  }

  @Test
  void shouldShowADatagramQueuePairAndItsGroupsButNotItsQueueKey() throws Exception {
    QueuePair qp = qp(QpType.UD);
    qp.modify(QpAttr.initUd(QKEY));
    hca.attachMulticast(qp, GROUP);
    String seen = bed.get("/weft/nodes/a/qps/" + qp.qpNum()).body();
    assertEquals("UD", bed.json("/weft/nodes/a/qps/" + qp.qpNum()).path("type").asText());
    assertFalse(seen.toLowerCase(java.util.Locale.ROOT).contains("qkey") || seen.contains("" + QKEY), seen);
    assertEquals("{\"lid\":" + GROUP + ",\"queuePairs\":[" + qp.qpNum() + "]}", only("groups").toString());
    hca.detachMulticast(qp, GROUP);
    hca.destroyQp(qp);
    assertEquals(0, bed.json("/weft/nodes/a/groups").path("total").asInt());
  }

  @Test
  void shouldShowWhatIsSpecialOfAnExtendedCompletionQueue() throws Exception {
    CompletionQueueEx ex = hca.createCqEx(new CqExAttr(8, ReceiveContext.POLLING, null, true, true));
    JsonNode seen = bed.json("/weft/nodes/a/cqs/" + ex.cq().number());
    assertEquals("true true false", seen.path("timestamps").asText() + " " + seen.path("singleThreaded").asText() + " "
        + seen.path("reading").asText());
    JsonNode plain = bed.json("/weft/nodes/a/cqs/" + bed.a.cq.number());
    assertEquals("false false", plain.path("timestamps").asText() + " " + plain.path("singleThreaded").asText());
    hca.destroyCq(ex.cq());
  }

  @Test
  void shouldCountOneCopyOfWhatIsWrittenWithinAJvm() throws Exception {
    long before = bed.json("/weft/status").path("totals").path("bytesCopied").asLong();
    bed.a.write(bed.b, 5000);
    assertEquals(before + 5000, bed.json("/weft/status").path("totals").path("bytesCopied").asLong());
    assertEquals(5000, bed.json("/weft/nodes/b/hca").path("counters").path("bytesCopied").asLong());
    assertEquals(0, bed.json("/weft/nodes/a/hca").path("counters").path("bytesCopied").asLong());
  }
}
