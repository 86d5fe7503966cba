package dev.weft.service.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.ClusterConfig;
import dev.weft.service.CommandFailure;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostAddressTest {
  @Test
  void shouldPutTheTrunksAtTheAddress() {
    Config config = HostAddress.of("127.0.0.2").applyTo(ConfigFactory.load());
    assertEquals("127.0.0.2", config.getString("weft.fabric.trunk.udp-host"));
  }

  /** As the cluster gets it, which has another strategy for JVMs of which none is needed more than the others. */
  @Test
  void shouldLetTheSideWithTheBlockDeviceGoOn() {
    Config usual = ClusterConfig.forJvm("127.0.0.2", 1, List.of(), Path.of("/nowhere"), List.of(), ConfigFactory.load());
    assertEquals("lease-majority", usual.getString("akka.cluster.split-brain-resolver.active-strategy"));
    Config config = ClusterConfig.forJvm("127.0.0.2", 1, List.of(), Path.of("/nowhere"), List.of(),
        HostAddress.of("127.0.0.2").applyTo(ConfigFactory.load()));
    assertEquals("keep-majority", config.getString("akka.cluster.split-brain-resolver.active-strategy"));
    assertEquals(FabricAccess.FIRST_ROLE, config.getString("akka.cluster.split-brain-resolver.keep-majority.role"));
  }

  @Test
  void shouldKeepControlMessagesWithinTheMtuOfAnEthernet() throws Exception {
    // Nobody has this address, so the usual MTU is assumed.
    HostAddress elsewhere = new HostAddress(InetAddress.getByName("192.0.2.1"));
    assertEquals(1408, elsewhere.applyTo(ConfigFactory.load()).getBytes("weft.fabric.cluster.media-driver.udp-mtu"));
    Config smaller = ConfigFactory.parseString("weft.fabric.cluster.media-driver.udp-mtu = 1024").withFallback(ConfigFactory.load());
    assertEquals(1024, elsewhere.applyTo(smaller).getBytes("weft.fabric.cluster.media-driver.udp-mtu"));
  }

  @Test
  void shouldNameTheAddressesThatThisHostHas() {
    String text = assertThrows(CommandFailure.class, () -> HostAddress.of("192.0.2.1")).getMessage();
    assertTrue(text.contains("not an address of this host") && text.contains("127.0.0.1"), text);
  }
}
