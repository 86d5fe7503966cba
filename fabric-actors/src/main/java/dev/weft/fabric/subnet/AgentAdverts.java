package dev.weft.fabric.subnet;

import dev.weft.fabric.node.Advert;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the services of this JVM advertise, and who waits for the subnet manager's word. The agent's thread. */
final class AgentAdverts {
  private static final Logger LOG = LoggerFactory.getLogger(AgentAdverts.class);

  /** @param change number of the agent's change that first names the advert */
  private record Waiting(Advert advert, long change, Consumer<String> done) {}

  private final List<Advert> adverts = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();

  void add(Advert advert, long change, Consumer<String> done) {
    adverts.removeIf(advert::replaces);
    adverts.add(advert);
    waiting.add(new Waiting(advert, change, done));
  }

  /** Whether there was one. */
  boolean remove(String node, String service) {
    return adverts.removeIf(advert -> advert.node().equals(node) && advert.service().equals(service));
  }

  void removeNode(String node) {
    adverts.removeIf(advert -> advert.node().equals(node));
  }

  List<Advert> claims() {
    return List.copyOf(adverts);
  }

  /**
   * The subnet manager has answered.
   *
   * @param change the last of the agent's changes that it knows
   * @return whether something was refused that is not named any more
   */
  boolean onRegistered(long change, List<AdvertRefusal> refused) {
    boolean isLess = false;
    for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
      Waiting one = all.next();
      if (one.change() <= change) {
        all.remove();
        one.done().accept(reason(one.advert(), refused).orElse(null));
      }
    }
    for (AdvertRefusal refusal : refused) {
      isLess |= drop(refusal);
    }
    return isLess;
  }

  /** One that was replaced meanwhile is another's answer. */
  private boolean drop(AdvertRefusal refusal) {
    boolean isAwaited = waiting.stream().anyMatch(one -> isAbout(refusal, one.advert()));
    if (!isAwaited && adverts.removeIf(advert -> isAbout(refusal, advert))) {
      LOG.warn("the subnet manager does not tell others what {} offers at {}: {}", refusal.service(), refusal.node(), refusal.reason());
      return true;
    }
    return false;
  }

  private static Optional<String> reason(Advert advert, List<AdvertRefusal> refused) {
    return refused.stream().filter(refusal -> isAbout(refusal, advert)).map(AdvertRefusal::reason).findFirst();
  }

  private static boolean isAbout(AdvertRefusal refusal, Advert advert) {
    return refusal.node().equals(advert.node()) && refusal.service().equals(advert.service());
  }
}
