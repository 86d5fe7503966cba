package dev.weft.fabric.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorIdentity;
import akka.actor.ActorSystem;
import akka.actor.BootstrapSetup;
import akka.actor.Identify;
import akka.actor.setup.ActorSystemSetup;
import akka.serialization.Serialization;
import akka.serialization.SerializationExtension;
import akka.serialization.Serializer;
import akka.serialization.SerializerWithStringManifest;
import akka.serialization.Serializers;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.ClusterConfig;
import java.io.NotSerializableException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class AuthenticatedSerializerTest {
  private final List<ActorSystem> systems = new ArrayList<>();
  private FabricKeys keys;

  @BeforeEach
  void draw() throws Exception {
    keys = Secrets.of('a').newKeys();
  }

  @AfterEach
  void end() {
    systems.forEach(ActorSystem::terminate);
    systems.forEach(system -> system.getWhenTerminated().toCompletableFuture().join());
  }

  /** With the serializers of a JVM of a cluster, but without one. */
  private static Config config() {
    return ConfigFactory.parseString("akka.actor.provider = local")
        .withFallback(ClusterConfig.forJvm("127.0.0.1", 0, List.of(), Path.of("/dev/shm/none"), List.of("x"))).resolve();
  }

  private Serialization with(FabricKeys these) {
    ActorSystem system = these == null ? ActorSystem.create("weft", config())
        : ActorSystem.create("weft", ActorSystemSetup.create(BootstrapSetup.create(AuthenticatedSerializer.inPlaceOfAll(config())), these));
    systems.add(system);
    return SerializationExtension.get(system);
  }

  private static Object read(Serialization to, byte[] bytes, Serializer serializer, String manifest) {
    return to.deserialize(bytes, serializer.identifier(), manifest).get();
  }

  @Test
  void shouldCarryMessagesOfEverySerializer() {
    Serialization from = with(keys);
    Serialization to = with(keys);
    for (Object message : new Object[] {new Identify("x"), new ActorIdentity("y", scala.Option.empty()), 17L, "text", Optional.of(3L)}) {
      Serializer serializer = from.findSerializerFor(message);
      assertInstanceOf(AuthenticatedSerializer.class, serializer, message.toString());
      byte[] bytes = serializer.toBinary(message);
      assertEquals(message, read(to, bytes, serializer, Serializers.manifestFor(serializer, message)));
    }
  }

  @Test
  void shouldStandInThePlaceOfEverySerializerButTheOneThatRefusesEverything() {
    Config config = AuthenticatedSerializer.inPlaceOfAll(config());
    config.getObject("akka.actor.serializers").unwrapped().forEach((name, type) ->
        assertEquals(!name.equals("java"), type.equals(AuthenticatedSerializer.class.getName()), name));
    assertTrue(config.getObject("akka.actor.serializers").size() > 10, "the cluster's are among them");
    with(keys); // Each of them can be made.
  }

  @Test
  void shouldRefuseWhatAJvmWithoutTheKeysSends() throws Exception {
    Serialization to = with(keys);
    long before = AuthenticatedSerializer.refusals();
    for (FabricKeys strange : new FabricKeys[] {null, Secrets.of('a').newKeys(), Secrets.of('b').newKeys()}) {
      Serialization from = with(strange);
      Serializer serializer = from.findSerializerFor(new Identify("x"));
      byte[] bytes = serializer.toBinary(new Identify("x"));
      assertThrows(NotSerializableException.class, () -> read(to, bytes, serializer, Serializers.manifestFor(serializer, new Identify("x"))));
    }
    assertEquals(3, AuthenticatedSerializer.refusals() - before);
  }

  @Test
  void shouldRefuseAMessageOfWhichAnythingWasChanged() {
    Serialization to = with(keys);
    SerializerWithStringManifest serializer = (SerializerWithStringManifest) to.findSerializerFor("text");
    byte[] bytes = serializer.toBinary("text");
    String manifest = serializer.manifest("text");
    for (int at = 0; at < bytes.length; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= 1;
      assertThrows(NotSerializableException.class, () -> serializer.fromBinary(changed, manifest), "byte " + at);
    }
    assertThrows(NotSerializableException.class, () -> serializer.fromBinary(bytes, manifest + "x"));
    assertThrows(NotSerializableException.class, () -> serializer.fromBinary(new byte[0], manifest));
  }
}
