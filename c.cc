#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <vector>
#include "frontends/json_schema/json_schema.h"
#include "lower/lower.h"
#include "passes/pipeline.h"
#include "support/error.h"
#include "runtime/compiler.h"
#include "runtime/matcher.h"
#include <memory>
#include <cstdint>
#include <valgrind/callgrind.h>
using namespace xg2lab;
struct P{const std::string&s;size_t i=0;JsonBuilder b;
 void ws(){while(i<s.size()&&strchr(" \n\t\r",s[i]))++i;}
 static void put(std::string&o,unsigned c){if(c<0x80)o+=char(c);else if(c<0x800){o+=char(0xC0|c>>6);o+=char(0x80|(c&63));}else{o+=char(0xE0|c>>12);o+=char(0x80|((c>>6)&63));o+=char(0x80|(c&63));}}
 std::string str(){std::string o;++i;while(s[i]!='"'){if(s[i]=='\\'){++i;switch(s[i]){case'n':o+='\n';break;case't':o+='\t';break;case'r':o+='\r';break;case'b':o+='\b';break;case'f':o+='\f';break;case'u':{unsigned c=strtoul(s.substr(i+1,4).c_str(),0,16);put(o,c>=0xD800&&c<0xE000?'?':c);i+=4;}break;default:o+=s[i];}++i;}else o+=s[i++];}++i;return o;}
 void val(){ws();char c=s[i];if(c=='{'){b.begin(JsonKind::kObject,false);++i;ws();while(s[i]!='}'){ws();auto k=str();ws();++i;b.key(k);val();ws();if(s[i]==','){++i;ws();}}++i;b.end();}
 else if(c=='['){b.begin(JsonKind::kArray,false);++i;ws();while(s[i]!=']'){val();ws();if(s[i]==','){++i;ws();}}++i;b.end();}
 else if(c=='"'){b.scalar(JsonKind::kString,str());}
 else if(c=='t'){b.scalar(JsonKind::kTrue);i+=4;}else if(c=='f'){b.scalar(JsonKind::kFalse);i+=5;}else if(c=='n'){b.scalar(JsonKind::kNull);i+=4;}
 else{size_t j=i;while(i<s.size()&&strchr("+-.eE0123456789",s[i]))++i;b.scalar(JsonKind::kNumber,s.substr(j,i-j));}}};
static double now(){timespec t;clock_gettime(CLOCK_THREAD_CPUTIME_ID,&t);return t.tv_sec*1e6+t.tv_nsec/1e3;}
int main(int argc,char**argv){std::ifstream f(argv[1]);int rounds=atoi(argv[2]);bool any=argc>3&&argv[3][0]=='a';
 std::string l;std::vector<std::string> lines;while(std::getline(f,l))lines.push_back(l);
 const char*names[]={"json","conv","passes","lower","object","matcher","fill","free","total"};constexpr int N=9;std::vector<double> v[N];size_t bad=0;std::vector<std::pair<double,size_t>> worst;
 auto once=[&](const std::string&line,double*t){t[0]=now();P p{line};p.b.begin_document();p.val();JsonDocument d=std::move(p.b).build("schema");t[1]=now();CALLGRIND_START_INSTRUMENTATION;
   json_schema::Options o;o.is_strict=!any;o.any_order=any;auto g=std::make_shared<const Grammar>(json_schema::grammar_of_schema(d,{""},o));t[2]=now();CALLGRIND_STOP_INSTRUMENTATION;
   };
 {double t[16]={};std::string w="{\"type\":\"object\",\"properties\":{\"warm_up\":{\"type\":\"string\"}}}";once(w,t);}
 
 for(int r=0;r<rounds;++r)for(size_t k=0;k<lines.size();++k){double t[16]={};
   try{once(lines[k],t);t[8]=now();for(int i=0;i<8;++i)v[i].push_back(t[i+1]-t[i]);v[8].push_back(t[8]-t[0]);if(!r)worst.push_back({t[8]-t[0],k});}catch(const Error&e){++bad;}}
 printf("%zu schemas, %zu refused\n",v[0].size(),bad);
 for(int i=0;i<N;++i){auto&w=v[i];std::sort(w.begin(),w.end());double m=0;for(double x:w)m+=x;auto q=[&](double a){return w[size_t(a*(w.size()-1))];};
  printf("%-7s mean %8.1f p50 %8.1f p90 %8.1f p99 %8.1f max %8.1f us\n",names[i],m/w.size(),q(.5),q(.9),q(.99),q(1));}
 std::sort(worst.rbegin(),worst.rend());for(int i=0;i<6;++i)printf("%zu:%.0f ",worst[i].second,worst[i].first);puts("");}
