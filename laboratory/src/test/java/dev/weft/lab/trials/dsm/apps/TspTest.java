package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class TspTest {
  private static final Application TSP = Applications.byName("tsp");

  @ParameterizedTest
  @ValueSource(strings = {"burma14", "ulysses16", "gr17"})
  void shouldFindTheShortestTourWithAnyNumberOfWorkers(String instance) {
    Runs.assertSameWithAnyNumberOfThreads(TSP, instance);
  }

  /** Best tours are offered by several workers at once mostly at the beginning. */
  @Test
  void shouldKeepTheBestTourInManyRuns() {
    for (int run = 0; run < 60; run++) {
      Runs.assertVerified(LocalRun.threads(TSP, "burma14", 8));
    }
  }

  @Test
  void shouldMeasureDistancesAsTsplibDoes() {
    assertEquals(153, Cities.burma14().from(0)[1]);
    assertEquals(509, Cities.ulysses16().from(0)[1]);
    assertEquals(121, Cities.gr17().from(16)[0]);
    assertEquals(336, Cities.gr17().from(15)[16]);
  }

  @Test
  void shouldNeverBoundTheRestOfATourAboveIt() {
    Cities cities = Cities.burma14();
    TourBound bound = new TourBound(cities);
    // Straight on through all cities by their numbers.
    int rest = cities.from(13)[0];
    int left = 0;
    for (int city = 13; city >= 1; city--) {
      left |= 1 << city - 1;
      rest += cities.from(city - 1)[city];
      assertTrue(bound.rest(city - 1, left) <= rest, "from " + (city - 1));
    }
  }

  @Test
  void shouldFindATourThatIsNone() {
    Runs.assertFound("tour", TSP, "burma14", space -> space.ints("tsp.tour", 14, SharingUnit.whole()).set(3, 0));
    Runs.assertFound("tour", TSP, "burma14", space -> space.ints("tsp.best", 1, SharingUnit.whole()).set(0, 3322));
  }

  @Test
  void shouldFindThatATourIsNotTheShortest() {
    Runs.assertFound("optimum", TSP, "burma14", space -> space.ints("tsp.best", 1, SharingUnit.whole()).set(0, 3324));
    // Whoever believes that there is a shorter tour finds none.
    Runs.assertFoundOfInput("optimum", TSP, "burma14", space -> space.ints("tsp.best", 1, SharingUnit.whole()).set(0, 3300));
  }
}
