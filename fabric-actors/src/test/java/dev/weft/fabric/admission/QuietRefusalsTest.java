package dev.weft.fabric.admission;

import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorSystem;
import akka.actor.BootstrapSetup;
import akka.actor.ExtendedActorSystem;
import akka.actor.setup.ActorSystemSetup;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.ClusterConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Messages of strangers, between two actor systems of this JVM: told by Akka, each, where there is no secret; seldom where there is one. */
@Tag("actor")
@Timeout(180)
class QuietRefusalsTest {
  private static final String AKKAS = "akka.remote.artery.Deserializer";

  private final List<ActorSystem> systems = new ArrayList<>();
  private final Queue<ILoggingEvent> told = new ConcurrentLinkedQueue<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(AKKAS);
  private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
    @Override
    protected void append(ILoggingEvent event) {
      told.add(event);
    }
  };

  @BeforeEach
  void listen() {
    appender.start();
    logger.setAdditive(false); // They are meant to be, and long.
    logger.addAppender(appender);
  }

  @AfterEach
  void end() {
    systems.forEach(ActorSystem::terminate);
    systems.forEach(system -> system.getWhenTerminated().toCompletableFuture().join());
    logger.detachAppender(appender);
    logger.setAdditive(true);
  }

  private ActorSystem start(FabricKeys keys) {
    Config config = ConfigFactory.parseString("akka { actor.provider = remote, remote.artery.transport = tcp }")
        .withFallback(ClusterConfig.forJvm("127.0.0.1", 0, List.of(), Path.of("/dev/shm/none"), List.of("x"))).resolve();
    ActorSystem system = keys == null ? ActorSystem.create("weft", config)
        : ActorSystem.create("weft", ActorSystemSetup.create(BootstrapSetup.create(AuthenticatedSerializer.inPlaceOfAll(config)), keys));
    systems.add(system);
    return system;
  }

  private static void send(ActorSystem from, ActorSystem to) {
    from.actorSelection(((ExtendedActorSystem) to).provider().getDefaultAddress() + "/user/somebody").tell("x", null);
  }

  private static void until(BooleanSupplier condition, String what) throws InterruptedException {
    for (int i = 0; i < 3000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(10);
    }
    assertTrue(condition.getAsBoolean(), what);
  }

  @Test
  void shouldLeaveItToAkkaWhereThereIsNoSecret() throws Exception {
    send(start(Secrets.of('a').newKeys()), start(null));
    until(() -> !told.isEmpty(), "Akka tells that it could not read a message");
  }

  @Test
  void shouldTellOneOfManyWhereThereIsASecret() throws Exception {
    long before = AuthenticatedSerializer.refusals();
    send(start(Secrets.of('a').newKeys()), start(Secrets.of('b').newKeys()));
    until(() -> AuthenticatedSerializer.refusals() >= before + 3, "messages were refused"); // A beginning is repeated each second.
    until(() -> !told.isEmpty(), "Akka tells that it could not read a message");
    assertTrue(told.size() < AuthenticatedSerializer.refusals() - before, () -> "of each: " + told);
  }
}
