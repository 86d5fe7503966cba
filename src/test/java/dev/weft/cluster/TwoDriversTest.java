package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two JVMs with a media driver each, as on two hosts: their trunk is UDP, with an ICRC on every packet. */
@Tag("jvms")
class TwoDriversTest {
  @Test
  @Timeout(400)
  void shouldWriteAndReadAcrossUdp() throws Exception {
    try (Jvms jvms = new Jvms()) {
      ClusterFabric fabric = jvms.fabric();
      jvms.startElsewhere(PeerMain.class, "other-driver", "far");
      Node node = fabric.addNode("near");
      Members.await(fabric, 2, "far");
      RemoteMemory memory = new RemoteMemory(node, "far", 19);
      long seed = 4711;
      SplittableRandom random = new SplittableRandom(seed);
      byte[] expected = new byte[1 << 16];
      for (int i = 0; i < 100; i++) {
        random.nextBytes(expected);
        MemorySegment.copy(expected, 0, memory.local(), ValueLayout.JAVA_BYTE, 0, expected.length);
        assertEquals(WcStatus.SUCCESS, memory.write(4096, expected.length).status(), "write " + i + " of seed " + seed);
        memory.local().fill((byte) 0);
        assertEquals(WcStatus.SUCCESS, memory.read(4096, expected.length).status(), "read " + i + " of seed " + seed);
        assertEquals(-1, memory.local().mismatch(MemorySegment.ofArray(expected)), "seed " + seed);
      }
      assertEquals(List.of(true), fabric.trunks().toCompletableFuture().join().stream().map(trunk -> trunk.overUdp()).toList());
    }
  }
}
