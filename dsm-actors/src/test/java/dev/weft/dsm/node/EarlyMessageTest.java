package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.member.DsmMember;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.ReceiveContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Messages come by the queue pair, and the word that it is connected by the connection managers, which is another way between JVMs: under load either is
 * first. A request that came first was forgotten, and its thread waited for ever.
 */
@Tag("simulation")
class EarlyMessageTest {
  private final VirtualFabric fabric = new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  private final DsmParts parts = ActorSpace.parts(fabric.addNode("host"));
  private final DsmMember member = new DsmMember(parts, (asked, hello) -> { }, lost -> { });
  private final ScriptedMember other = new ScriptedMember(fabric, "other", ActorSpace.MEMORY);
  private MessageEndpoint endpoint;
  private Peer peer;

  /** The other one is connected by hardware, and the member here has not heard that. */
  @BeforeEach
  void start() {
    endpoint = new MessageEndpoint(parts.node().hca(), parts.pd(), 4 * member.peers().channelSettings().cqEntries(), ReceiveContext.ISR, false,
        member.peers(), this::hears);
    member.peers().use(endpoint);
    endpoint.arm();
    member.joining().begin();
    Wait.OfObject words = new Wait.OfObject(ObjectSpec.wanted(ObjectSpec.Kind.LONGS, "words", 1, SharingUnit.bytes(8)), 0);
    member.onObject(words);
    member.doLocal();
    assertTrue(words.isOver());
    parts.node().cm().listen(parts.service(), this::accept);
    other.connect("host", other.hello(1, ActorSpace.MEMORY));
    other.hears("is node 1");
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private void accept(ConnectionRequest request) {
    peer = member.joining().admit(request.peerNode(), Hello.decode(request.privateData()));
    request.accept(peer.channel.qp(), member.hello(1).encode());
    peer.channel.postReceives();
  }

  private void hears() {
    endpoint.service(1000);
    member.doLocal();
  }

  private void isTold() {
    member.joining().onConnected(peer, null);
    member.doLocal();
  }

  @Test
  void shouldServeARequestThatCameBeforeTheWordThatItsSenderIsConnected() {
    other.says(new DsmMessage.ReadRequest(0));
    other.hears(new String[0]);
    assertEquals(1, member.peers().received());
    isTold();
    other.hears(new DsmMessage.Defined(new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 1, 8, 0, 0, 0b1)), new DsmMessage.Data(0, 1, false));
    other.says(new DsmMessage.Confirm(0, 1));
    other.hears(new String[0]);
    assertEquals(1, member.homes().served());
  }

  @Test
  void shouldDoInTheirOrderWhatCameEarly() {
    other.says(new DsmMessage.ReadRequest(0));
    other.says(new DsmMessage.Confirm(0, 1));
    other.says(new DsmMessage.WriteRequest(0));
    other.hears(new String[0]);
    isTold();
    assertEquals(3, other.heard().size(), "the array, a copy, and the right to write");
    assertEquals(1, member.homes().served());
    assertEquals(0, member.homes().stale());
  }

  @Test
  void shouldForgetWhatOneHasSaidThatIsLostBeforeItWasConnected() {
    other.says(new DsmMessage.ReadRequest(0));
    other.hears(new String[0]);
    member.onFailed(peer, "it was lost");
    isTold();
    assertEquals(0, member.homes().requests());
    assertTrue(peer.early.isEmpty());
  }
}
