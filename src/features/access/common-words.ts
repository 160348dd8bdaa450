/**
 * Words that guessers try first: everyday words of passwords, names, places, teams, rows of keys, and the words of this
 * product. Put together by hand for the password policy; plain lower-case letters, at least three each.
 */
const WORDS = `
abc abcd access admin administrator africa again agent ahmed air alex alexa alexander ali alive all allah always amanda amazon america american amit
amsterdam and andrew android angel angels anil anna anthony anybody anything apollo apple april arduino are army arsenal asd asdf asdfgh ashley
asshole athena atlas audi august austin australia autumn avengers avenue azerty babe baby babyboy babygirl back backup bad bailey banana bangalore
barcelona bart baseball basketball bastard batman battery bear beatles beautiful bedroom beer berlin berry best bestfriend bharat bible big birthday
bitch black blessed blessing blood blue bmw bond boss boston brandon brazil bridge brother brown bubbles buffalo bulls bunny burger business buster
butter butterfly button california camaro camera can canada candy cannabis captain castle cat celtics champ champion change changeme charles charlie
cheese chelsea chennai cherry chicago chicken chief china chocolate christ christian christmas church cisco city class cobra coffee cold college
commander company computer cookie cookies cool correct corvette country cowboys cracker cricket crimson crystal cute cutie
dad daddy daisy dakota dallas damn dance dancer daniel dark darkness darling database daughter david dead dear death debian december default delhi
demo demon denver desktop deutschland device devices devil diamond die disney dlink doctor dodgers dog doggy dollar dolphin donald door dragon
dragonball dream dreamer dreams drums ducati durga eagle eagles earth easter eight elephant elizabeth emerald eminem emma energy england enter europe
everyone everything evil example facebook faith falcon fall family fast father fatima february ferrari fire first five florida flower flowers football
for forest forever fortnite four france freedom friday friend friends frodo front fuck fucker fuckoff fuckyou galaxy game gamer games gandalf ganesh
garage garden gate gatehouse geheim general george germany get ghost ginger god godisgood goku gold golden golf good google got grace grandma grandpa
gray great green grey guest guitar gupta hack hacker halloween hannah happy harley harleydavidson harry hawaii hawk heart hearts heaven hell hello
helpdesk hercules hermione hero heroes hindustan hobbit hockey hogwarts holiday home homehub homer honda honey hope horse hot hottie house household
huawei hub hulk hundred hunter husband hussain hyderabad hyundai ilove iloveyou india inside instagram internet iphone ironman italia italy jack
jackson jaguar jaimatadi james january japan jasmine jazz jennifer jessica jesus job john johnny jordan joseph joshua july june jupiter just justin
juventus kawasaki keyboard khan kill killer king kings kiss kisses kitchen kitten kitty knight kolkata krishna kumar lady ladybug lakers lakshmi lamp
laptop last laura legend lemon letmein liberty life light lightning lights lily linksys linux lion little live liverpool living lkjh login logon loki
london lounge love loveme lover loveyou lucky madrid maggie magic mahindra major manager manchester march maria marine mario mars maruti marvel master
math matrix matthew max may mega melissa mercedes merlin metal metallica mexico michael michelle mickey microsoft midnight million mine minecraft
minnie mnbv mobile mohamed mom mommy monday money monitor monkey monster moon morgan morning moscow mother mountain mouse muhammad mumbai murder music
mustang myhome myhouse mylife mylove mypass mypassword mysecret myself mysql namaste naruto navy neo neptune netgear network never new newyear newyork
nice nicole night nine ninja nintendo nirvana nobody not nothing november number numbers nurse ocean october odin office okay old olivia
omnamahshivaya one open openup operator oracle orange orchid outside owner packers panda panther paris party pass passcode passphrase passwd password
passwort patel peace peach pearl penguin pepper philips phoenix phone piano pikachu pink pirate pirates pizza planet player playstation please pluto
poiu pokemon police pony porsche postgres potter power pretty prince princess printer private public pune punk puppy purple qaz queen qwe qwerty
qwertz rabbit racing rahul raiders rain rainbow raj raja ram rangers rani raspberry ravi real red rich richard river road robert rock rocknroll rocky
roma room root rose router ruby rugby russia safe sairam samantha sample samsung samurai sarah satan saturday saturn scanner school science scorpion
second secret secure security sensor september sergeant server service sesame seven sexy shadow shadows shah shark sharma shelly shit shiva signin
silver simpsons singh siri sister sita six sky skywalker small smarthome smoke snake sniper snow snowball soccer sofia soldier someone something son
sonoff sophie sorry spain speaker speed spider spiderman sports spring spy staple star starlight stars starwars steelers stephanie storm strawberry
street strong student sugar summer sun sunday sunil sunny sunrise sunset sunshine super superman superuser support suzuki sweet sweetheart sweetie
sweety switch system tasmota tata taylor teacher temp temporary ten tennis test tester testing tests texas thanks thankyou that the this thomas thor
thousand three thunder thursday tiger titan today tokyo tomorrow tower town toyota trustme trustno tuesday tulip turbo turtle twitter two tyler ubuntu
ultra unicorn united universe university unlock user username vacation vader vampire vegas venus victoria vijay viking village violet vodka volkswagen
waheguru war warcraft water wednesday weed weekend welcome whatever whiskey white wife wifi will william wind window windows wine winner winter
wireless with wizard wolf work world wsx xbox xiaomi xmas xyz yamaha yankees yellow yes yesterday yoda you your yours yourself youtube zelda zero zeus
zombie zxc zxcv zxcvbn
`;

/** See {@link WORDS}; one entry for each word. */
export const COMMON_WORDS: readonly string[] = WORDS.trim().split(/\s+/);
