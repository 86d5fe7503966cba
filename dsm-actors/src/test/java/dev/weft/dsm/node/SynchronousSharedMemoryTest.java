package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.objects.RealWaitStrategy;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.hca.node.Node;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same with the synchronous engine, and what only that promises. */
@Tag("slow")
@Tag("actor")
class SynchronousSharedMemoryTest extends SharedMemoryTest {
  private static final int MINIPAGES = 100;

  @Override
  String engine() {
    return "synchronous";
  }

  /** Node 2 faults, node 0 is the home, node 1 has what is wanted. */
  @Test
  void shouldRunNoCodeOfHomeAndOwnerForAFault() {
    start(3, "weft.dsm.home = centralized");
    SharedLongs owners = nodes.get(1).longs("words", MINIPAGES, SharingUnit.elements(1));
    SharedLongs faulting = nodes.get(2).longs("words", MINIPAGES, SharingUnit.elements(1));
    for (int i = 0; i < MINIPAGES; i++) {
      owners.set(i, i);
    }
    DsmSnapshot home = nodes.get(0).inspect();
    DsmSnapshot owner = nodes.get(1).inspect();
    for (int i = 0; i < MINIPAGES; i++) {
      assertEquals(i, faulting.get(i));
      faulting.set(i, i + 1L);
    }
    DsmSnapshot homeAfter = nodes.get(0).inspect();
    DsmSnapshot ownerAfter = nodes.get(1).inspect();
    // Only inspect ran them, and what was left of the writes before: a hundred faults did not.
    assertTrue(homeAfter.activations() - home.activations() < 5, () -> homeAfter.activations() + " of the home, before " + home.activations());
    assertTrue(ownerAfter.activations() - owner.activations() < 5, () -> ownerAfter.activations() + " of the owner, before " + owner.activations());
    assertEquals(home.messagesReceived(), homeAfter.messagesReceived());
    assertEquals(owner.messagesReceived(), ownerAfter.messagesReceived());
    DsmSnapshot self = nodes.get(2).inspect();
    assertEquals(MINIPAGES, self.readFaults());
    assertEquals(MINIPAGES, self.writeFaults());
    assertTrue(self.verbs() >= MINIPAGES * 12L, self.verbs() + " work requests");
    assertEquals(Long.BYTES * MINIPAGES, self.bytesRead());
  }

  @Test
  void shouldRefuseANodeWithTheOtherEngine() {
    start(1, "weft.dsm.join-timeout = 5 s");
    Node other = fabric.addNode("other");
    DsmSettings settings = DsmSettings.from(ConfigFactory.parseString("weft.dsm.engine = request").withFallback(fabric.config()));
    String refused = assertThrows(IllegalStateException.class,
        () -> DsmNode.join(other, "test", "host-0", settings, new RealWaitStrategy(fabric, other), false)).getMessage();
    assertTrue(refused.endsWith("weft.dsm.engine is request there and synchronous here; must be the same"), refused);
  }

  @Test
  void shouldRefuseANodeWithTablesOfAnotherSize() {
    start(1, "weft.dsm.join-timeout = 5 s");
    Node other = fabric.addNode("other");
    DsmSettings settings = DsmSettings.from(ConfigFactory.parseString("weft.dsm.threads-max = 7").withFallback(fabric.config()));
    String refused = assertThrows(IllegalStateException.class,
        () -> DsmNode.join(other, "test", "host-0", settings, new RealWaitStrategy(fabric, other), false)).getMessage();
    assertTrue(refused.endsWith("threads-max are 262144 and 7 there, 262144 and 256 here; must be the same with the synchronous engine"), refused);
  }

  @Test
  void shouldPrefetchAndPushCopies() {
    start(3, "");
    SharedLongs first = nodes.get(0).longs("words", MINIPAGES, SharingUnit.elements(1));
    for (int i = 0; i < MINIPAGES; i++) {
      first.set(i, i + 1L);
    }
    SharedLongs second = nodes.get(1).longs("words", MINIPAGES, SharingUnit.elements(1));
    second.prefetch(0, MINIPAGES);
    long[] all = new long[MINIPAGES];
    second.read(0, all, 0, MINIPAGES);
    for (int i = 0; i < MINIPAGES; i++) {
      assertEquals(i + 1L, all[i]);
    }
    first.push(0, MINIPAGES);
    SharedLongs third = nodes.get(2).longs("words", MINIPAGES, SharingUnit.elements(1));
    assertTrue(fabric.await(() -> nodes.get(2).rights("words", MINIPAGES - 1) != 0, java.time.Duration.ofSeconds(30)));
    assertEquals(MINIPAGES, third.get(MINIPAGES - 1));
    assertEquals(0, nodes.get(2).inspect().readFaults(), "what was pushed is no fault");
  }
}
